import { outputBoundAt, outputBoundUpTo } from './output-bound.ts'
import { backOf, isZeroForOne, type Leg, poolOf, type RouteGraph, setRate } from './route-graph.ts'

/** Legs from one token to another, and what they cannot give more than. */
export type Way = { legs: readonly Leg[]; outputMax: number }

export type WaysQuery = {
  /** Tokens by number. */
  tokenIn: number
  tokenOut: number
  amountIn: number
  isTradable: (leg: Leg) => boolean
}

/** The ways of exactly so many hops that may give more than `outputAbove`. */
export type WayFinder = (options: { hops: number; outputAbove: number }) => Way[]

/**
 * A search for ways. Prices alone show that most do not give enough, as no pool gives more than its price says; only what
 * they leave is looked at in depth.
 */
export function createWayFinder(graph: RouteGraph, query: WaysQuery): WayFinder {
  const { tokenIn, tokenOut, amountIn, isTradable } = query
  const { ends } = graph
  const rateMaxFrom = createRateMax(graph, tokenOut)
  const firstOutputs = new Float64Array(graph.ends.length).fill(UNKNOWN)

  /** Of a first leg the amount is known, and many ways have it in common; others are given so much at most. */
  const outputMaxOf = (leg: Leg, amount: number, isFirst: boolean): number => {
    const { amm } = poolOf(graph, leg)
    if (!isFirst) return outputBoundUpTo(amm, isZeroForOne(leg), amount)
    const known = firstOutputs[leg] ?? UNKNOWN
    if (known !== UNKNOWN) return known
    const output = outputBoundAt(amm, isZeroForOne(leg), amount)
    firstOutputs[leg] = output
    return output
  }
  const isVisited = (legs: readonly Leg[], token: number): boolean => {
    for (const leg of legs) if (ends[leg] === token) return true
    return token === tokenIn
  }

  return ({ hops, outputAbove }) => {
    const ways: Way[] = []
    const extend = (legs: readonly Leg[], token: number, amount: number): void => {
      const hopsLeft = hops - legs.length - 1
      for (const leg of hopsLeft === 0 ? legsTowards(graph, token, tokenOut) : legsOf(graph, token)) {
        const to = ends[leg] as number // as: every leg ends
        const rateLeft = rateMaxFrom(to, hopsLeft)
        if (rateLeft === 0 || Math.floor(amount * rateOf(graph, leg) * rateLeft) <= outputAbove) continue
        if (isVisited(legs, to) || (to === tokenOut && hopsLeft > 0)) continue
        const outputMax = outputMaxOf(leg, amount, legs.length === 0)
        if (Math.floor(outputMax * rateLeft) <= outputAbove || !isTradable(leg)) continue
        const longer = [...legs, leg]
        if (hopsLeft === 0) ways.push({ legs: longer, outputMax })
        else extend(longer, to, outputMax)
      }
    }
    extend([], tokenIn, amountIn)
    return ways
  }
}

/** No output and no rate is below 0. */
const UNKNOWN = -1

/** All legs from one token to another, and some more: by the shorter of two lists, as a hub has thousands of pools. */
function legsTowards(graph: RouteGraph, token: number, to: number): readonly Leg[] {
  const [from, into] = [legsOf(graph, token), legsOf(graph, to)]
  if (from.length <= into.length) return from
  return into.filter((leg) => graph.ends[leg] === token).map(backOf)
}

/** What prices give for one, at most, on any way of so many hops from a token to the last one; 0 where there is none. */
function createRateMax(graph: RouteGraph, tokenOut: number): (token: number, hops: number) => number {
  const { ends } = graph
  const known: Float64Array[] = []
  const rateMaxFrom = (token: number, hops: number): number => {
    if (hops === 0) return token === tokenOut ? 1 : 0
    known[hops] ??= new Float64Array(graph.legsFrom.length).fill(UNKNOWN)
    const rateMaxes = known[hops]
    const before = rateMaxes[token] as number // as: every token has a place
    if (before !== UNKNOWN) return before
    let most = 0
    for (const leg of legsOf(graph, token)) {
      const onward = rateMaxFrom(ends[leg] as number, hops - 1) // as: every leg ends
      const rate = onward === 0 ? 0 : onward * rateOf(graph, leg)
      if (rate > most) most = rate
    }
    rateMaxes[token] = most
    return most
  }
  return rateMaxFrom
}

function legsOf({ legsFrom }: RouteGraph, token: number): readonly Leg[] {
  return legsFrom[token] ?? []
}

/** Here, and not where rates are set: a call out of the file would take half as long again. */
function rateOf(graph: RouteGraph, leg: Leg): number {
  const known = graph.rates[leg] as number // as: every leg has one
  return known > 0 ? known : setRate(graph, leg)
}

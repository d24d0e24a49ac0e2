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
  const rateMaxes = [ratesAtEnd(graph, tokenOut)]
  /** Of first legs, by place: many ways have one in common. */
  const firstOutputs = legsOf(graph, tokenIn).map(() => UNKNOWN)

  const firstOutput = (leg: Leg, place: number): number => {
    const known = firstOutputs[place] ?? UNKNOWN
    if (known !== UNKNOWN) return known
    const output = outputBoundAt(poolOf(graph, leg).amm, isZeroForOne(leg), amountIn)
    firstOutputs[place] = output
    return output
  }

  return ({ hops, outputAbove }) => {
    const ways: Way[] = []
    while (rateMaxes.length < hops) rateMaxes.push(ratesOneHopBefore(graph, rateMaxes.at(-1) ?? []))

    const extend = (legs: readonly Leg[], token: number, amount: number): void => {
      const hopsLeft = hops - legs.length - 1
      const rateMax = rateMaxes[hopsLeft] ?? []
      const candidates = hopsLeft === 0 ? legsTowards(graph, token, tokenOut) : legsOf(graph, token)
      for (let place = 0; place < candidates.length; place++) {
        const leg = candidates[place] as Leg // as: within bounds
        const to = ends[leg] as number // as: every leg ends
        const rateLeft = rateMax[to] as number // as: every token has one
        if (rateLeft === 0 || Math.floor(amount * rateOf(graph, leg) * rateLeft) <= outputAbove) continue
        if (legs.includes(leg) || legs.includes(backOf(leg))) continue
        // Of a first leg the amount is known; others are given so much at most.
        const outputMax =
          legs.length === 0 && hops > 1
            ? firstOutput(leg, place)
            : outputBoundUpTo(poolOf(graph, leg).amm, isZeroForOne(leg), amount)
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

/** No output is below 0. */
const UNKNOWN = -1

/** All legs from one token to another, and some more: by the shorter of two lists, as a hub has thousands of pools. */
function legsTowards(graph: RouteGraph, token: number, to: number): readonly Leg[] {
  const [from, into] = [legsOf(graph, token), legsOf(graph, to)]
  if (from.length <= into.length) return from
  return into.filter((leg) => graph.ends[leg] === token).map(backOf)
}

/** By token, what prices give for one on the way to the last token, at most, where no hop is left. */
function ratesAtEnd({ legsFrom }: RouteGraph, tokenOut: number): number[] {
  return legsFrom.map((_, token) => (token === tokenOut ? 1 : 0))
}

/** The same with one hop more, from what it is without; 0 from where no way of so many hops leads. */
function ratesOneHopBefore(graph: RouteGraph, rates: readonly number[]): number[] {
  const before = rates.map(() => 0)
  for (let token = 0; token < rates.length; token++) {
    const rate = rates[token] as number // as: within bounds
    if (rate === 0) continue
    for (const back of legsOf(graph, token)) {
      const start = graph.ends[back] as number // as: every leg ends
      const rateMax = rate * rateOf(graph, backOf(back))
      if (rateMax > (before[start] as number)) before[start] = rateMax // as: every token has one
    }
  }
  return before
}

function legsOf({ legsFrom }: RouteGraph, token: number): readonly Leg[] {
  return legsFrom[token] ?? []
}

/** Here, and not where rates are set: a call out of the file would take half as long again. */
function rateOf(graph: RouteGraph, leg: Leg): number {
  const known = graph.rates[leg] as number // as: every leg has one
  return known > 0 ? known : setRate(graph, leg)
}

import { outputBoundAt, outputBoundUpTo } from './output-bound.ts'
import { isZeroForOne, type Leg, poolOf, type RouteGraph } from './route-graph.ts'

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
  const { tokenIn, tokenOut, isTradable } = query
  const lastLegsFrom = memoizeLegs((token) =>
    legsOf(graph, token).filter((leg) => endOf(graph, leg) === tokenOut),
  )
  const rateMaxFrom = createRateMax(graph, tokenOut)
  const firstOutputs = new Map<Leg, number>()

  /** Of a first leg the amount is known, and many ways have it in common; others are given so much at most. */
  const outputMaxOf = (leg: Leg, amountIn: number, isFirst: boolean): number => {
    const { amm } = poolOf(graph, leg)
    if (!isFirst) return outputBoundUpTo(amm, isZeroForOne(leg), amountIn)
    const output = firstOutputs.get(leg) ?? outputBoundAt(amm, isZeroForOne(leg), amountIn)
    firstOutputs.set(leg, output)
    return output
  }

  const isVisited = (legs: readonly Leg[], token: number): boolean =>
    token === tokenIn || legs.some((leg) => endOf(graph, leg) === token)

  return ({ hops, outputAbove }) => {
    const ways: Way[] = []
    const extend = (legs: readonly Leg[], token: number, amount: number): void => {
      const hopsLeft = hops - legs.length - 1
      for (const leg of hopsLeft === 0 ? lastLegsFrom(token) : legsOf(graph, token)) {
        const to = endOf(graph, leg)
        const rateLeft = rateMaxFrom(to, hopsLeft)
        if (Math.floor(amount * rateOf(graph, leg) * rateLeft) <= outputAbove) continue
        if (isVisited(legs, to) || (to === tokenOut && hopsLeft > 0)) continue
        const outputMax = outputMaxOf(leg, amount, legs.length === 0)
        if (Math.floor(outputMax * rateLeft) <= outputAbove || !isTradable(leg)) continue
        const longer = [...legs, leg]
        if (hopsLeft === 0) ways.push({ legs: longer, outputMax })
        else extend(longer, to, outputMax)
      }
    }
    extend([], tokenIn, query.amountIn)
    return ways
  }
}

/** What prices give for one, at most, on any way of so many hops from a token to the last one; 0 where there is none. */
function createRateMax(graph: RouteGraph, tokenOut: number): (token: number, hops: number) => number {
  const known: Float64Array[] = []
  const rateMaxFrom = (token: number, hops: number): number => {
    if (hops === 0) return token === tokenOut ? 1 : 0
    known[hops] ??= new Float64Array(graph.legsFrom.length).fill(-1)
    const rates = known[hops]
    let most = rates[token] ?? 0
    if (most >= 0) return most
    most = 0
    for (const leg of legsOf(graph, token))
      most = Math.max(most, rateOf(graph, leg) * rateMaxFrom(endOf(graph, leg), hops - 1))
    rates[token] = most
    return most
  }
  return rateMaxFrom
}

function memoizeLegs(compute: (token: number) => readonly Leg[]): (token: number) => readonly Leg[] {
  const known = new Map<number, readonly Leg[]>()
  return (token) => {
    const legs = known.get(token) ?? compute(token)
    known.set(token, legs)
    return legs
  }
}

function legsOf({ legsFrom }: RouteGraph, token: number): readonly Leg[] {
  return legsFrom[token] ?? []
}

function rateOf({ rates }: RouteGraph, leg: Leg): number {
  return rates[leg] as number // as: every leg has one
}

function endOf({ ends }: RouteGraph, leg: Leg): number {
  return ends[leg] as number // as: every leg has one
}

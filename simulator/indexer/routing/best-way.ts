import { type Onward, onwardAtEnd, onwardOneHopBefore } from './onward.ts'
import { outputBoundAt, outputBoundUpTo } from './output-bound.ts'
import { quoteWay } from './quote-way.ts'
import { backOf, isZeroForOne, type Leg, poolOf, type RouteGraph } from './route-graph.ts'

/** Legs one after the other, through no pool twice, and what each of them gives (base units). */
export type Way = { legs: readonly Leg[]; amounts: readonly bigint[]; amountOut: bigint }

export type WayQuery = {
  /** Tokens by number. */
  tokenIn: number
  tokenOut: number
  /** Base units, above 0. */
  amountIn: bigint
  hopsMax: number
  isTradable: (leg: Leg) => boolean
}

/**
 * The way that gives most; undefined where none gives anything. Shorter ways are tried first, and of those with as many
 * hops the ones over older pools, so that of equals the first one found is the better one: a way counts only where it may
 * give more than the best so far. Most may not, by the curves of their pools; what these leave is held to a closer bound,
 * hop by hop; the rest is quoted.
 */
export function findBestWay(graph: RouteGraph, query: WayQuery): Way | undefined {
  const { legsFrom, ends, prices, scarcities } = graph
  const { tokenIn, tokenOut, amountIn, hopsMax, isTradable } = query
  const legsInto = legsFrom[tokenOut] ?? []
  const onwards: Onward[] = []
  const firstOutputs = new Map<Leg, number>()
  const way: Leg[] = []
  let best: Way | undefined
  /** One over the least that is more than the best gives. */
  let inverseMax = 1

  /** All ways that begin with the present one, which gives `amount` of `token` at most. */
  const extend = (token: number, amount: number, hopsLeft: number): void => {
    const onward = onwards[hopsLeft] as Onward // as: made before so many hops are
    const legs = legsFrom[token] ?? []
    // By the shorter of two lists, as a hub has thousands of pools.
    const isLast = hopsLeft === 0 && legsInto.length < legs.length
    for (const listed of isLast ? legsInto : legs) {
      const leg = isLast ? backOf(listed) : listed
      if (ends[backOf(leg)] !== token) continue
      const end = ends[leg] as number // as: every leg ends
      const price = onward.prices[end] as number // as: every token has one
      const scarcity = onward.scarcities[end] as number // as: every token has one
      const inverse = (prices[leg] as number) / amount + (scarcities[leg] as number) // as: every leg has one
      if (price * inverse + scarcity > inverseMax) continue
      if (way.includes(leg) || way.includes(backOf(leg)) || !isTradable(leg)) continue
      const output = outputBound(leg, amount)
      if (price / output + scarcity > inverseMax) continue
      way.push(leg)
      if (hopsLeft === 0) offer()
      else extend(end, output, hopsLeft - 1)
      way.pop()
    }
  }
  const outputBound = (leg: Leg, amount: number): number => {
    const { amm } = poolOf(graph, leg)
    if (way.length > 0) return outputBoundUpTo(amm, isZeroForOne(leg), amount)
    // Of a first leg the amount is known, and many ways have it in common.
    const output = firstOutputs.get(leg) ?? outputBoundAt(amm, isZeroForOne(leg), amount)
    firstOutputs.set(leg, output)
    return output
  }
  const offer = (): void => {
    const amounts = quoteWay(graph, way, amountIn)
    const amountOut = amounts?.at(-1) ?? 0n
    if (!amounts || amountOut <= (best?.amountOut ?? 0n)) return
    best = { legs: [...way], amounts, amountOut }
    inverseMax = 1 / (Number(amountOut) + 1)
  }

  for (let hops = 1; hops <= hopsMax; hops++) {
    const before = onwards.at(-1)
    onwards.push(before ? onwardOneHopBefore(graph, before) : onwardAtEnd(graph, tokenOut))
    extend(tokenIn, Number(amountIn), hops - 1)
  }
  return best
}

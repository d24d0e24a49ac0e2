import { AmmError } from '../../amm/amm-error.ts'
import type { Pool } from '../../amm/pool.ts'
import { computeSwap } from '../../amm/swap.ts'
import { tradingBar } from '../../chain/pair.ts'
import type { IndexState } from '../index-state.ts'
import type { RouteHopView, RouteView } from '../views/views.ts'
import { outputBoundAt, outputBoundUpTo } from './output-bound.ts'
import {
  getLegPool,
  getRouteGraph,
  isZeroForOne,
  type Leg,
  type RouteGraph,
  reverseLeg,
} from './route-graph.ts'

export type RouteQuery = { tokenIn: string; tokenOut: string; amountIn: bigint; hopsMax: number }

/**
 * The route with the highest output, by exact quotes of every way of at most `hopsMax` hops that uses no pool twice. As
 * on the chain, a token may be visited again, including the first and the last one: no other hop changes a quoted pool.
 * Ties go to the shorter way, then to the older pools, first hop first. Undefined if there is no route, if the pools
 * cannot take the whole amount, and while trading is paused. Disabled, paused and unlisted pools are excluded. Ways are
 * skipped only if a bound on their output shows that they cannot be the best.
 */
export function findRoute(state: IndexState, query: RouteQuery): RouteView | undefined {
  const { amountIn, hopsMax } = query
  if (state.protocol.paused || query.tokenIn === query.tokenOut || amountIn <= 0n) return undefined
  const graph = getRouteGraph(state)
  const [tokenIn, tokenOut] = [graph.tokens.get(query.tokenIn), graph.tokens.get(query.tokenOut)]
  if (tokenIn === undefined || tokenOut === undefined) return undefined
  const isTradable = tradableIn(state, graph)
  const best = findBestWay(graph, { tokenIn, tokenOut, amountIn, hopsMax, isTradable })
  if (!best) return undefined
  const hops = hopViews(graph, best, amountIn)
  const amountOut = best.amounts.at(-1) ?? 0n
  return { hops, amountIn, amountOut, protocolRevision: state.protocol.revision, block: state.head }
}

/** The rules of the chain itself. */
function tradableIn(state: IndexState, graph: RouteGraph): (leg: Leg) => boolean {
  const rules = { ...state, configuration: state.protocol }
  return (leg) => {
    const { token0, token1, enabled } = getLegPool(graph, leg)
    return tradingBar(rules, { token0: token0.id, token1: token1.id, enabled }) === undefined
  }
}

function hopViews(graph: RouteGraph, { legs, amounts }: Way, amountIn: bigint): RouteHopView[] {
  return legs.map((leg, place) => {
    const { key, token0, token1, feePips } = getLegPool(graph, leg)
    const [tokenIn, tokenOut] = isZeroForOne(leg) ? [token0.id, token1.id] : [token1.id, token0.id]
    const [paid = amountIn, amountOut = 0n] = [amounts[place - 1], amounts[place]]
    return { pool: key, tokenIn, tokenOut, feePips, amountIn: paid, amountOut }
  })
}

/** Consecutive legs that use no pool twice, and the output of each (base units). */
type Way = { legs: readonly Leg[]; amounts: readonly bigint[]; amountOut: bigint }

type WayQuery = {
  /** Tokens by number. */
  tokenIn: number
  tokenOut: number
  /** Base units, above 0. */
  amountIn: bigint
  hopsMax: number
  isTradable: (leg: Leg) => boolean
}

/**
 * The way with the highest output; undefined if none has any. Tries shorter ways first and, among those with as many
 * hops, older pools first, so that the first of equals wins: a way counts only if it may give more than the best so
 * far. The curves of their pools exclude most; a closer bound, hop by hop, excludes others; the rest is quoted.
 */
function findBestWay(graph: RouteGraph, query: WayQuery): Way | undefined {
  const { legsFrom, ends, prices, scarcities } = graph
  const { tokenIn, tokenOut, amountIn, hopsMax, isTradable } = query
  const legsInto = legsFrom[tokenOut] ?? []
  const onwards: Onward[] = []
  const firstOutputs = new Map<Leg, number>()
  const way: Leg[] = []
  let best: Way | undefined
  /** The inverse of the lowest output that beats the best. */
  let inverseMax = 1

  const extend = (token: number, amount: number, hopsLeft: number): void => {
    const onward = onwards[hopsLeft] as Onward // as: created before this many hops
    const legs = legsFrom[token] ?? []
    // Uses the shorter of two lists, since a hub has thousands of pools.
    const isLast = hopsLeft === 0 && legsInto.length < legs.length
    for (const listed of isLast ? legsInto : legs) {
      const leg = isLast ? reverseLeg(listed) : listed
      if (ends[reverseLeg(leg)] !== token) continue
      const end = ends[leg] as number // as: every leg ends
      const price = onward.prices[end] as number // as: every token has one
      const scarcity = onward.scarcities[end] as number // as: every token has one
      const inverse = (prices[leg] as number) / amount + (scarcities[leg] as number) // as: every leg has one
      if (price * inverse + scarcity > inverseMax) continue
      if (way.includes(leg) || way.includes(reverseLeg(leg)) || !isTradable(leg)) continue
      const output = outputBound(leg, amount)
      if (price / output + scarcity > inverseMax) continue
      way.push(leg)
      if (hopsLeft === 0) offer()
      else extend(end, output, hopsLeft - 1)
      way.pop()
    }
  }
  const outputBound = (leg: Leg, amount: number): number => {
    const { amm } = getLegPool(graph, leg)
    if (way.length > 0) return outputBoundUpTo(amm, isZeroForOne(leg), amount)
    // The input of a first leg is known, and many ways share it.
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

/** The output of each leg; undefined if one does not take the whole amount. */
function quoteWay(graph: RouteGraph, legs: readonly Leg[], amountIn: bigint): bigint[] | undefined {
  const amounts: bigint[] = []
  let amount: bigint | undefined = amountIn
  for (const leg of legs) {
    amount = quoteHop(getLegPool(graph, leg).amm, isZeroForOne(leg), amount)
    if (amount === undefined) return undefined
    amounts.push(amount)
  }
  return amounts
}

function quoteHop(pool: Pool, zeroForOne: boolean, amountIn: bigint): bigint | undefined {
  // Skips the quote of a pool that runs dry, which would walk to the end of all prices.
  if (outputBoundAt(pool, zeroForOne, Number(amountIn)) === 0) return undefined
  try {
    const { amount0, amount1 } = computeSwap(pool, { zeroForOne, amountSpecified: amountIn })
    const [amountTaken, amountOut] = zeroForOne ? [amount0, -amount1] : [amount1, -amount0]
    return amountTaken === amountIn && amountOut > 0n ? amountOut : undefined
  } catch (error) {
    if (error instanceof AmmError) return undefined
    throw error
  }
}

/**
 * By token, a bounding curve for every way of this many hops to the last token (output-bound.ts). In sequence, y in
 * gives 1 / (P (p / y + s) + S): the price of two curves is P p, the scarcity P s + S. Infinite without a way.
 */
type Onward = { prices: Float64Array; scarcities: Float64Array }

/** Without a hop left, the amount is the output. */
function onwardAtEnd({ legsFrom }: RouteGraph, tokenOut: number): Onward {
  const onward = nowhere(legsFrom.length)
  onward.prices[tokenOut] = 1
  onward.scarcities[tokenOut] = 0
  return onward
}

/** With one more hop: the lowest price and the lowest scarcity, possibly of two different ways. */
function onwardOneHopBefore(graph: RouteGraph, after: Onward): Onward {
  const { legsFrom, ends, prices, scarcities } = graph
  const before = nowhere(legsFrom.length)
  for (let token = 0; token < legsFrom.length; token++) {
    const priceAfter = after.prices[token] as number // as: every token has one
    const scarcityAfter = after.scarcities[token] as number // as: every token has one
    if (priceAfter === Number.POSITIVE_INFINITY) continue
    for (const back of legsFrom[token] ?? []) {
      const leg = reverseLeg(back)
      const start = ends[back] as number // as: every leg ends
      const price = priceAfter * (prices[leg] as number) // as: every leg has one
      const scarcity = priceAfter * (scarcities[leg] as number) + scarcityAfter // as: every leg has one
      before.prices[start] = Math.min(price, before.prices[start] as number) // as: every token has one
      before.scarcities[start] = Math.min(scarcity, before.scarcities[start] as number) // as: every token has one
    }
  }
  return before
}

function nowhere(tokens: number): Onward {
  return {
    prices: new Float64Array(tokens).fill(Number.POSITIVE_INFINITY),
    scarcities: new Float64Array(tokens).fill(Number.POSITIVE_INFINITY),
  }
}

import { AmmError } from '../../amm/amm-error.ts'
import type { Pool } from '../../amm/pool.ts'
import { computeSwap } from '../../amm/swap.ts'
import { tradingBar } from '../../chain/pair.ts'
import type { IndexState } from '../index-state.ts'
import type { RouteHopView, RouteView } from '../views/views.ts'
import { outputBoundAt, outputBoundUpTo } from './output-bound.ts'
import { backOf, isZeroForOne, type Leg, poolOf, type RouteGraph, routeGraphOf } from './route-graph.ts'

export type RouteQuery = { tokenIn: string; tokenOut: string; amountIn: bigint; hopsMax: number }

/**
 * The route that gives most, by exact quotes over every way of at most `hopsMax` hops that goes through no pool twice.
 * As on the chain, a token may be visited again, the first and the last one too: each pool is quoted as it stands, which
 * no other hop changes. Where two give the same: the shorter one, then the one over older pools, the first hop's first.
 * Undefined where there is none, where the pools cannot take the whole amount, and while trading is paused. Pools that are
 * disabled, paused or unlisted are no way.
 *
 * A way is passed over only where a bound on its output shows that it cannot be the best one.
 */
export function findRoute(state: IndexState, query: RouteQuery): RouteView | undefined {
  const { amountIn, hopsMax } = query
  if (state.protocol.paused || query.tokenIn === query.tokenOut || amountIn <= 0n) return undefined
  const graph = routeGraphOf(state)
  const [tokenIn, tokenOut] = [graph.tokens.get(query.tokenIn), graph.tokens.get(query.tokenOut)]
  if (tokenIn === undefined || tokenOut === undefined) return undefined
  const isTradable = tradableIn(state, graph)
  const best = findBestWay(graph, { tokenIn, tokenOut, amountIn, hopsMax, isTradable })
  if (!best) return undefined
  const hops = hopViews(graph, best, amountIn)
  const amountOut = best.amounts.at(-1) ?? 0n
  return { hops, amountIn, amountOut, protocolRevision: state.protocol.revision, block: state.head }
}

/** As the chain itself judges. */
function tradableIn(state: IndexState, graph: RouteGraph): (leg: Leg) => boolean {
  const rules = { ...state, configuration: state.protocol }
  return (leg) => {
    const { token0, token1, enabled } = poolOf(graph, leg)
    return tradingBar(rules, { token0: token0.id, token1: token1.id, enabled }) === undefined
  }
}

function hopViews(graph: RouteGraph, { legs, amounts }: Way, amountIn: bigint): RouteHopView[] {
  return legs.map((leg, place) => {
    const { key, token0, token1, feePips } = poolOf(graph, leg)
    const [tokenIn, tokenOut] = isZeroForOne(leg) ? [token0.id, token1.id] : [token1.id, token0.id]
    const [paid = amountIn, amountOut = 0n] = [amounts[place - 1], amounts[place]]
    return { pool: key, tokenIn, tokenOut, feePips, amountIn: paid, amountOut }
  })
}

/** Legs one after the other, through no pool twice, and what each of them gives (base units). */
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
 * The way that gives most; undefined where none gives anything. Shorter ways are tried first, and of those with as many
 * hops the ones over older pools, so that of equals the first one found is the better one: a way counts only where it may
 * give more than the best so far. Most may not, by the curves of their pools; what these leave is held to a closer bound,
 * hop by hop; the rest is quoted.
 */
function findBestWay(graph: RouteGraph, query: WayQuery): Way | undefined {
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

/** What each leg gives for what the one before gives; undefined where one does not take the whole amount. */
function quoteWay(graph: RouteGraph, legs: readonly Leg[], amountIn: bigint): bigint[] | undefined {
  const amounts: bigint[] = []
  let amount: bigint | undefined = amountIn
  for (const leg of legs) {
    amount = quoteHop(poolOf(graph, leg).amm, isZeroForOne(leg), amount)
    if (amount === undefined) return undefined
    amounts.push(amount)
  }
  return amounts
}

function quoteHop(pool: Pool, zeroForOne: boolean, amountIn: bigint): bigint | undefined {
  // A pool that runs dry is walked to the end of all prices: worth a look before.
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
 * By token, a curve that every way of so many hops from there to the last token stays below, as a leg stays below its own
 * (output-bound.ts). One after the other, y in give 1 / (P (p / y + s) + S): of two curves the price is P p, the scarcity
 * P s + S. Infinite where no way leads.
 */
type Onward = { prices: Float64Array; scarcities: Float64Array }

/** Without a hop left: what is there is what comes out. */
export function onwardAtEnd({ legsFrom }: RouteGraph, tokenOut: number): Onward {
  const onward = nowhere(legsFrom.length)
  onward.prices[tokenOut] = 1
  onward.scarcities[tokenOut] = 0
  return onward
}

/** With one hop more: the lowest price and the lowest scarcity, be they of two ways. */
export function onwardOneHopBefore(graph: RouteGraph, after: Onward): Onward {
  const { legsFrom, ends, prices, scarcities } = graph
  const before = nowhere(legsFrom.length)
  for (let token = 0; token < legsFrom.length; token++) {
    const priceAfter = after.prices[token] as number // as: every token has one
    const scarcityAfter = after.scarcities[token] as number // as: every token has one
    if (priceAfter === Number.POSITIVE_INFINITY) continue
    for (const back of legsFrom[token] ?? []) {
      const leg = backOf(back)
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

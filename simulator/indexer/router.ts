import { AmmError } from '../amm/amm-error.ts'
import { computeSwap } from '../amm/swap.ts'
import { tradingBar } from '../chain/tradable.ts'
import { createWayFinder, type Way } from './find-ways.ts'
import type { IndexedPool, IndexState } from './index-state.ts'
import { outputBoundAt } from './output-bound.ts'
import { isZeroForOne, type Leg, poolOf, type RouteGraph, routeGraphOf } from './route-graph.ts'
import type { RouteHopView, RouteView } from './views.ts'

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
  const { amountIn } = query
  if (state.protocol.paused || query.tokenIn === query.tokenOut || amountIn <= 0n) return undefined
  const graph = routeGraphOf(state)
  const [tokenIn, tokenOut] = [graph.tokens.get(query.tokenIn), graph.tokens.get(query.tokenOut)]
  if (tokenIn === undefined || tokenOut === undefined) return undefined
  const isTradable = tradableIn(state, graph)
  const findWays = createWayFinder(graph, { tokenIn, tokenOut, amountIn: Number(amountIn), isTradable })
  let best: Route | undefined
  for (let hops = 1; hops <= query.hopsMax; hops++) {
    // A longer way must give more.
    const outputAbove = best ? Number(best.amountOut) : 0
    best = bestOf(graph, findWays({ hops, outputAbove }), amountIn, best)
  }
  if (!best) return undefined
  const { amountOut } = best
  return {
    hops: best.hops,
    amountIn,
    amountOut,
    protocolRevision: state.protocol.revision,
    block: state.head,
  }
}

type Route = { legs: readonly Leg[]; hops: readonly RouteHopView[]; amountOut: bigint }

/** Quotes the ways that promise most first, until no other can be better. */
function bestOf(
  graph: RouteGraph,
  ways: Way[],
  amountIn: bigint,
  known: Route | undefined,
): Route | undefined {
  let best = known
  ways.sort((a, b) => b.outputMax - a.outputMax)
  for (const { legs, outputMax } of ways) {
    const amountOut = best ? Number(best.amountOut) : 0
    if (outputMax < amountOut) break
    if (best && outputMax === amountOut && !isPreferred(legs, best.legs)) continue
    const route = quoteRoute(graph, legs, amountIn)
    if (route && (!best || isBetter(route, best))) best = route
  }
  return best
}

function isBetter(route: Route, best: Route): boolean {
  if (route.amountOut !== best.amountOut) return route.amountOut > best.amountOut
  return isPreferred(route.legs, best.legs)
}

/** Of two ways that give the same; the numbers of legs follow the age of their pools. */
function isPreferred(legs: readonly Leg[], best: readonly Leg[]): boolean {
  if (legs.length !== best.length) return legs.length < best.length
  const place = legs.findIndex((leg, index) => leg !== best[index])
  return (legs[place] ?? 0) < (best[place] ?? 0)
}

/** As the chain itself judges. */
function tradableIn(state: IndexState, graph: RouteGraph): (leg: Leg) => boolean {
  const rules = { ...state, configuration: state.protocol }
  return (leg) => {
    const { token0, token1, enabled } = poolOf(graph, leg)
    return tradingBar(rules, { token0: token0.id, token1: token1.id, enabled }) === undefined
  }
}

function quoteRoute(graph: RouteGraph, legs: readonly Leg[], amountIn: bigint): Route | undefined {
  const hops: RouteHopView[] = []
  let amountOut = amountIn
  for (const leg of legs) {
    const hop = quoteHop(poolOf(graph, leg), isZeroForOne(leg), amountOut)
    if (!hop) return undefined
    hops.push(hop)
    amountOut = hop.amountOut
  }
  return { legs, hops, amountOut }
}

function quoteHop(pool: IndexedPool, zeroForOne: boolean, amountIn: bigint): RouteHopView | undefined {
  // A pool that runs dry is walked to the end of all prices: worth a look before.
  if (outputBoundAt(pool.amm, zeroForOne, Number(amountIn)) === 0) return undefined
  const [tokenIn, tokenOut] = zeroForOne ? [pool.token0.id, pool.token1.id] : [pool.token1.id, pool.token0.id]
  try {
    const { amount0, amount1 } = computeSwap(pool.amm, { zeroForOne, amountSpecified: amountIn })
    const [amountTaken, amountOut] = zeroForOne ? [amount0, -amount1] : [amount1, -amount0]
    if (amountTaken !== amountIn || amountOut <= 0n) return undefined
    return { pool: pool.key, tokenIn, tokenOut, feePips: pool.feePips, amountIn, amountOut }
  } catch (error) {
    if (error instanceof AmmError) return undefined
    throw error
  }
}

import { tradingBar } from '../../chain/tradable.ts'
import type { IndexState } from '../index-state.ts'
import type { RouteHopView, RouteView } from '../views/route-views.ts'
import { findBestWay, type Way } from './best-way.ts'
import { isZeroForOne, type Leg, poolOf, type RouteGraph, routeGraphOf } from './route-graph.ts'

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

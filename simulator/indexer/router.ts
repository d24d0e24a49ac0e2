import { AmmError } from '../amm/amm-error.ts'
import { computeSwap } from '../amm/swap.ts'
import { type TradingRules, tradingBar } from '../chain/tradable.ts'
import type { IndexedPool, IndexState } from './index-state.ts'
import type { RouteHopView, RouteView } from './views.ts'

export type RouteQuery = { tokenIn: string; tokenOut: string; amountIn: bigint; hopsMax: number }

/**
 * The route that gives most, by exact quotes over every way of at most `hopsMax` hops that visits no token twice, and so
 * no pool either. Where two give the same: the shorter one, then the one over older pools. Undefined where there is none,
 * where the pools cannot take the whole amount, and while trading is paused. Pools that are disabled, paused or unlisted are no way.
 */
export function findRoute(state: IndexState, query: RouteQuery): RouteView | undefined {
  const { tokenIn, tokenOut, amountIn } = query
  const rules = { ...state, configuration: state.protocol }
  if (state.protocol.paused || tokenIn === tokenOut || amountIn <= 0n) return undefined
  const distances = hopsTo(state, tokenOut, query.hopsMax)
  let best: readonly RouteHopView[] | undefined

  const extend = (
    hops: readonly RouteHopView[],
    token: string,
    amount: bigint,
    visited: readonly string[],
  ): void => {
    const hopsLeft = query.hopsMax - hops.length - 1
    for (const pool of state.poolsByToken.get(token) ?? []) {
      const next = otherToken(pool, token)
      if (visited.includes(next) || (distances.get(next) ?? Number.POSITIVE_INFINITY) > hopsLeft) continue
      const hop = isTradable(rules, pool) ? quoteHop(pool, token, amount) : undefined
      if (!hop) continue
      const longer = [...hops, hop]
      if (next !== tokenOut) extend(longer, next, hop.amountOut, [...visited, next])
      else if (!best || isBetter(longer, best)) best = longer
    }
  }
  extend([], tokenIn, amountIn, [tokenIn])

  const amountOut = best?.at(-1)?.amountOut
  if (!best || amountOut === undefined) return undefined
  return { hops: best, amountIn, amountOut, protocolRevision: state.protocol.revision, block: state.head }
}

/** For each token the fewest hops to the last one, up to `hopsMax`: what is farther is not worth a quote. */
function hopsTo(state: IndexState, tokenOut: string, hopsMax: number): ReadonlyMap<string, number> {
  const distances = new Map([[tokenOut, 0]])
  let frontier = [tokenOut]
  for (let hops = 1; hops <= hopsMax && frontier.length > 0; hops++) {
    const neighbours = frontier.flatMap((token) =>
      (state.poolsByToken.get(token) ?? []).map((pool) => otherToken(pool, token)),
    )
    frontier = [...new Set(neighbours)].filter((token) => !distances.has(token))
    for (const token of frontier) distances.set(token, hops)
  }
  return distances
}

/** As the chain itself judges. */
function isTradable(rules: TradingRules, { token0, token1, enabled }: IndexedPool): boolean {
  return tradingBar(rules, { token0: token0.id, token1: token1.id, enabled }) === undefined
}

function quoteHop(pool: IndexedPool, tokenIn: string, amountIn: bigint): RouteHopView | undefined {
  const zeroForOne = pool.token0.id === tokenIn
  const tokenOut = zeroForOne ? pool.token1.id : pool.token0.id
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

function isBetter(route: readonly RouteHopView[], best: readonly RouteHopView[]): boolean {
  const amountOut = route.at(-1)?.amountOut ?? 0n
  const bestOut = best.at(-1)?.amountOut ?? 0n
  return amountOut > bestOut || (amountOut === bestOut && route.length < best.length)
}

function otherToken({ token0, token1 }: IndexedPool, token: string): string {
  return token0.id === token ? token1.id : token0.id
}

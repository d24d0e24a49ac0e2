import { type IndexedPool, type IndexState, indexedToken } from '../index-state.ts'
import type { PoolView } from '../views/market-views.ts'

/** The pool as of now: a copy, which stays as it is. */
export function poolView(state: IndexState, pool: IndexedPool): PoolView {
  return {
    id: `pool-${pool.sequence + 1}`,
    key: pool.key,
    token0: indexedToken(state, pool.token0.id),
    token1: indexedToken(state, pool.token1.id),
    feePips: pool.feePips,
    tickSpacing: pool.tickSpacing,
    enabled: pool.enabled,
    createdAtMs: pool.createdAtMs,
    sqrtPriceX96: pool.amm.sqrtPriceX96,
    tick: pool.amm.tick,
    liquidity: pool.amm.liquidity,
    balance0: pool.balance0,
    balance1: pool.balance1,
  }
}

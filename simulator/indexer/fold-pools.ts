import { createPool } from '../amm/pool.ts'
import type { ChainEvent } from '../chain/event.ts'
import type { Folding } from './fold-block.ts'
import { type IndexedPool, type IndexState, indexedPool, indexedToken } from './index-state.ts'

export function foldPoolCreated(
  state: IndexState,
  event: Extract<ChainEvent, { kind: 'poolCreated' }>,
  { timeMs, changed }: Folding,
): void {
  const { pool: key, feePips, tickSpacing, sqrtPriceX96, tick, liquidity } = event
  const sequence = state.pools.size
  const pool: IndexedPool = {
    view: {
      id: `pool-${sequence + 1}`,
      key,
      token0: indexedToken(state, event.token0),
      token1: indexedToken(state, event.token1),
      feePips,
      tickSpacing,
      enabled: true,
      createdAtMs: timeMs,
      sqrtPriceX96,
      tick,
      liquidity,
      balance0: 0n,
      balance1: 0n,
    },
    sequence,
    amm: createPool({ feePips, tickSpacing, sqrtPriceX96 }),
    displayFlipped: isQuote(state, event.token0, event.token1),
    history: [{ atMs: timeMs, sqrtPriceX96, volume0Total: 0n, volume1Total: 0n }],
    candle: undefined,
    trades: [],
  }
  state.pools.set(key, pool)
  for (const token of [event.token0, event.token1]) {
    const pools = state.poolsByToken.get(token)
    if (pools) pools.push(pool)
    else state.poolsByToken.set(token, [pool])
  }
  changed.launched.push(key)
  changed.moved.add(key)
}

export function foldPoolEnabled(
  state: IndexState,
  { pool: key, enabled }: Extract<ChainEvent, { kind: 'poolEnabled' }>,
  { changed }: Folding,
): void {
  const pool = indexedPool(state, key)
  pool.view = { ...pool.view, enabled }
  if (enabled) state.disabledPools.delete(key)
  else state.disabledPools.add(key)
  changed.moved.add(key)
}

export function addBalances(pool: IndexedPool, delta0: bigint, delta1: bigint): void {
  const { balance0, balance1 } = pool.view
  pool.view = { ...pool.view, balance0: balance0 + delta0, balance1: balance1 + delta1 }
}

/** Which of two tokens prices are told in: the stable one, else the one that trades in more pools so far. */
function isQuote(state: IndexState, token: string, other: string): boolean {
  if (token === state.stableTokenId) return true
  if (other === state.stableTokenId) return false
  return (state.poolsByToken.get(token)?.length ?? 0) > (state.poolsByToken.get(other)?.length ?? 0)
}

import type { Pool as AmmPool } from '../amm/pool.ts'
import type { Candle } from './candle.ts'
import type { PoolHistory } from './pool-history.ts'
import type { BlockRef, PoolView, ProtocolStateView, SwapView, TokenView } from './views.ts'

export type IndexedPool = {
  /** Replaced when the pool changes, never changed itself: whoever holds one may keep it. */
  view: PoolView
  /** 0 for the first pool. */
  sequence: number
  /** The pool's mathematics, rebuilt from events: what the router quotes with. */
  amm: AmmPool
  /** token0 is the quote: a display shows token1 first. */
  displayFlipped: boolean
  history: PoolHistory
  candle: Candle | undefined
}

/** All that the indexer knows: plain data, folded from blocks and nothing else. */
export type IndexState = {
  /** The token that counts as one dollar. */
  stableTokenId: string
  head: BlockRef
  tokens: Map<string, TokenView>
  /** In order of creation. */
  pools: Map<string, IndexedPool>
  poolsByToken: Map<string, IndexedPool[]>
  /** In order of execution; an entry is replaced when its output is claimed. */
  swaps: SwapView[]
  swapIndexById: Map<string, number>
  /** For each pool the places in `swaps`, ascending. */
  swapIndexesByPool: Map<string, number[]>
  protocol: Omit<ProtocolStateView, 'block'>
}

export function emptyIndex(stableTokenId: string): IndexState {
  return {
    stableTokenId,
    head: { height: -1, hash: '', timeMs: 0 },
    tokens: new Map(),
    pools: new Map(),
    poolsByToken: new Map(),
    swaps: [],
    swapIndexById: new Map(),
    swapIndexesByPool: new Map(),
    protocol: { revision: 1, paused: false, poolCreation: 'open', allowlistEnabled: false, feeTiers: [] },
  }
}

export function indexedPool(state: IndexState, key: string): IndexedPool {
  const pool = state.pools.get(key)
  if (!pool) throw new RangeError(`an event names the pool ${key}, which no event created`)
  return pool
}

export function indexedToken(state: IndexState, id: string): TokenView {
  const token = state.tokens.get(id)
  if (!token) throw new RangeError(`an event names the token ${id}, which no event registered`)
  return token
}

import type { Pool as AmmPool } from '../amm/pool.ts'
import type { Block } from '../chain/block.ts'
import type { Candle } from './candle.ts'
import type { PoolHistory } from './pool-history.ts'
import type {
  BlockRef,
  FaucetRecordView,
  PoolView,
  ProtocolStateView,
  SwapView,
  TokenView,
  TradeView,
} from './views.ts'

export type IndexedPosition = {
  id: string
  tickLower: number
  tickUpper: number
  owner: string
  pool: string
  isPrivate: boolean
  frozenAtMs: number | null
  createdAtMs: number
  lastTransaction: string
}

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
  /** Oldest first; see trade-log.ts for how many are kept. */
  trades: TradeView[]
}

/** All that the indexer knows: plain data, folded from blocks and nothing else. */
export type IndexState = {
  /** The token that counts as one dollar. */
  stableTokenId: string
  head: BlockRef
  /** For undo alone, until the index has a journal. */
  blocks: Block[]
  tokens: Map<string, TokenView>
  /** In order of creation. */
  pools: Map<string, IndexedPool>
  poolsByToken: Map<string, IndexedPool[]>
  /** In order of execution; an entry is replaced when its output is claimed. */
  swaps: SwapView[]
  swapIndexById: Map<string, number>
  /** For each pool the places in `swaps`, ascending. */
  swapIndexesByPool: Map<string, number[]>
  /** For each address the places in `swaps` of outputs that it can still claim, oldest first. */
  pendingByRecipient: Map<string, Set<number>>
  /** Those open, in order of creation. */
  positions: Map<string, IndexedPosition>
  positionsByOwner: Map<string, Set<string>>
  /** The sum of every change so far, by address, then token. */
  balances: Map<string, Map<string, bigint>>
  protocol: Omit<ProtocolStateView, 'block'>
  pausedPairs: Set<string>
  disabledPools: Set<string>
  allowlist: { tokens: Set<string>; pairs: Set<string> }
  faucetRecords: Map<string, FaucetRecordView[]>
}

export function emptyIndex(stableTokenId: string): IndexState {
  return {
    stableTokenId,
    head: { height: -1, hash: '', timeMs: 0 },
    blocks: [],
    tokens: new Map(),
    pools: new Map(),
    poolsByToken: new Map(),
    swaps: [],
    swapIndexById: new Map(),
    swapIndexesByPool: new Map(),
    pendingByRecipient: new Map(),
    positions: new Map(),
    positionsByOwner: new Map(),
    balances: new Map(),
    pausedPairs: new Set(),
    disabledPools: new Set(),
    allowlist: { tokens: new Set(), pairs: new Set() },
    faucetRecords: new Map(),
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

export function indexedPosition(state: IndexState, id: string): IndexedPosition {
  const position = state.positions.get(id)
  if (!position) throw new RangeError(`an event names the position ${id}, which no event opened`)
  return position
}

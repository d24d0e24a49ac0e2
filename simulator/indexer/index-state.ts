import type { Pool as AmmPool } from '../amm/pool.ts'
import { createJournal, type Journal, REORG_DEPTH_MAX } from '../undo-log.ts'
import type { PoolCandles } from './candles.ts'
import type { FaucetRecord } from './history/faucet-records.ts'
import { emptyLog, type HistoryLog, noSwaps, type SwapNumbers } from './history/history-log.ts'
import type { SwapRecord } from './history/swaps.ts'
import type { TradeRecord } from './history/trades.ts'
import type { BlockRef, TokenView } from './views/market-views.ts'
import type { ProtocolStateView } from './views/views.ts'

export type IndexedPosition = {
  id: string
  /** 0 for the first position ever opened. */
  sequence: number
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
  key: string
  /** 0 for the first pool. */
  sequence: number
  token0: PoolToken
  token1: PoolToken
  feePips: number
  tickSpacing: number
  createdAtMs: number
  openingX96: bigint
  /** token0 is the quote: a display shows token1 first. */
  displayFlipped: boolean
  enabled: boolean
  balance0: bigint
  balance1: bigint
  /** Volume since creation. */
  volume0Total: bigint
  volume1Total: bigint
  /** The pool's state rebuilt from events, which the router quotes with. */
  amm: AmmPool
  candles: PoolCandles
  trades: HistoryLog<TradeRecord>
}

/** Immutable fields of a token. */
export type PoolToken = { id: string; decimals: number }

/**
 * The indexer's state: plain data, folded only from blocks. All changes go through the journal, so that blocks can be
 * reverted.
 */
export type IndexState = {
  journal: Journal
  /** Its price is one dollar. */
  stableTokenId: string
  head: BlockRef
  /** Replaced when supply grows, never mutated, so that references stay valid. */
  tokens: Map<string, TokenView>
  /** In order of creation. */
  pools: Map<string, IndexedPool>
  poolsByToken: Map<string, IndexedPool[]>
  /** Swaps, mints and burns of all pools, in order of execution. */
  trades: HistoryLog<TradeRecord>
  /** By number, in order of execution. */
  swaps: HistoryLog<SwapRecord>
  publicSwaps: SwapNumbers
  /** Private swaps by address: those of its own, as user or as recipient. */
  privateSwaps: Map<string, SwapNumbers>
  /** Claimable outputs of each address by swap id, oldest first; never dropped. */
  pendingByRecipient: Map<string, Map<string, SwapRecord>>
  /** Open positions, in order of creation. */
  positions: Map<string, IndexedPosition>
  positionsByOwner: Map<string, Map<string, IndexedPosition>>
  /** Includes closed ones. */
  positionsOpened: number
  /** Sum of all changes, by address, then token. */
  balances: Map<string, Map<string, bigint>>
  protocol: Omit<ProtocolStateView, 'block'>
  pausedPairs: Set<string>
  disabledPools: Set<string>
  allowlist: { tokens: Set<string>; pairs: Set<string> }
  /** For all addresses, in order of execution. */
  faucetRecords: HistoryLog<FaucetRecord>
}

export function emptyIndex(stableTokenId: string): IndexState {
  return {
    journal: createJournal({ depthMax: REORG_DEPTH_MAX }),
    stableTokenId,
    head: { height: -1, hash: '', timeMs: 0 },
    tokens: new Map(),
    pools: new Map(),
    poolsByToken: new Map(),
    trades: emptyLog(),
    swaps: emptyLog(),
    publicSwaps: noSwaps(),
    privateSwaps: new Map(),
    pendingByRecipient: new Map(),
    positions: new Map(),
    positionsByOwner: new Map(),
    positionsOpened: 0,
    balances: new Map(),
    pausedPairs: new Set(),
    disabledPools: new Set(),
    allowlist: { tokens: new Set(), pairs: new Set() },
    faucetRecords: emptyLog(),
    protocol: { revision: 1, paused: false, poolCreation: 'open', allowlistEnabled: false, feeTiers: [] },
  }
}

/** Throws a RangeError if no event has created the pool: chain and index disagree. */
export function indexedPool(state: IndexState, key: string): IndexedPool {
  const pool = state.pools.get(key)
  if (!pool) throw new RangeError(`an event names the pool ${key}, which no event created`)
  return pool
}

/** Throws a RangeError if no event has registered the token. */
export function indexedToken(state: IndexState, id: string): TokenView {
  const token = state.tokens.get(id)
  if (!token) throw new RangeError(`an event names the token ${id}, which no event registered`)
  return token
}

/** Throws a RangeError if no event has opened the position. */
export function indexedPosition(state: IndexState, id: string): IndexedPosition {
  const position = state.positions.get(id)
  if (!position) throw new RangeError(`an event names the position ${id}, which no event opened`)
  return position
}

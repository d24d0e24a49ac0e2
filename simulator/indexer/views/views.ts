/**
 * The indexer's interface to the exchange: the chain as readers see it, block by block. Amounts are bigint base units;
 * prices and dollar figures are exact decimal strings; times are milliseconds since the epoch on the world's clock.
 */

import type {
  BlockRef,
  ExploreOrder,
  ExploreQuery,
  ExploreRow,
  ExploreStatsView,
  LiquidityRangeView,
  MetricWindow,
  OracleView,
  PoolStatsView,
  PoolView,
  TokenRow,
  TokenView,
} from './market-views.ts'
import type {
  BalanceChangeView,
  BalanceView,
  CandlesQuery,
  CandleView,
  FaucetRecordView,
  OwnedQuery,
  PositionView,
  SwapView,
  TradeView,
  UnclaimedView,
} from './trade-views.ts'

/** Changes of one indexed block, which the feed turns into events. */
export type BlockUpdate = {
  block: BlockRef
  launches: readonly PoolView[]
  poolStats: readonly PoolView[]
  trades: readonly TradeView[]
  candles: readonly CandleView[]
  balanceChanges: readonly BalanceChangeView[]
  config: ConfigChangeView | null
  /** Number of blocks that readers had seen and that were reverted since the last update. */
  reorged: number
}

export type Page<Row> = { rows: readonly Row[]; total: number }

export type Views = {
  head(): BlockRef
  tokens(): readonly TokenView[]
  token(id: string): TokenView | undefined
  pools(page: { limit: number; offset: number }): Page<PoolView>
  pool(key: string): PoolView | undefined
  explorePools(query: ExploreQuery): Page<ExploreRow>
  exploreOrder(query: Pick<ExploreQuery, 'window' | 'sort' | 'order'>): ExploreOrder
  /** `search` matches symbol, name, address or id, in any case. */
  exploreTokens(query: ExploreQuery): Page<TokenRow>
  exploreStats(window: MetricWindow): ExploreStatsView
  /**
   * Newest first; `pool` matches any pool in the route. Only their user and recipient see private swaps. `total` counts
   * the kept ones (history/history-log.ts) that the viewer may see.
   */
  swaps(query: { viewer: string | null; pool?: string; limit: number; offset: number }): Page<SwapView>
  protocolState(): ProtocolStateView
  /** The best route by exact quote over indexed state that uses no pool twice; undefined without one. */
  route(query: {
    tokenIn: string
    tokenOut: string
    amountIn: bigint
    hopsMax: number
  }): RouteView | undefined
  /** Open positions, oldest first. */
  positions(query: OwnedQuery & { limit: number; offset: number }): Page<PositionView>
  /** An open position by its id; undefined unless the address owns it. */
  position(query: { address: string; id: string }): PositionView | undefined
  unclaimed(query: OwnedQuery): UnclaimedView
  feeTiers(): readonly FeeTierView[]
  /** Tokens that the address has or had, in order of the first receipt. */
  balances(address: string): readonly BalanceView[]
  /** Trades of a pool or of all, newest first. `total` counts the kept ones (history/history-log.ts). */
  trades(query: { pool?: string; limit: number; offset: number }): Page<TradeView>
  /** Newest first, only intervals with trades; `total` counts the kept ones. */
  candles(query: CandlesQuery): Page<CandleView>
  /** Undefined for an unknown pool. */
  poolStats(pool: string): PoolStatsView | undefined
  /** Ranges with liquidity, lowest price first; undefined for an unknown pool. */
  liquidityDistribution(pool: string): readonly LiquidityRangeView[] | undefined
  /**
   * One entry per number of seconds before the last indexed block; null before the pool's oldest observation. Undefined
   * for an unknown pool.
   */
  oracle(query: { pool: string; secondsAgos: readonly number[] }): readonly (OracleView | null)[] | undefined
  compliance(): ComplianceView
  /** Oldest first; history/history-log.ts limits the number kept for all addresses. */
  faucetRecords(address: string): readonly FaucetRecordView[]
}

export type ConfigKeyChange = { scope: string; key: string }

export type ConfigChangeView = {
  revision: number
  observedBlock: number
  changes: readonly ConfigKeyChange[]
}

export type ProtocolStateView = {
  revision: number
  block: number
  paused: boolean
  poolCreation: 'open' | 'gated'
  allowlistEnabled: boolean
  feeTiers: readonly { feePips: number; tickSpacing: number; createdAtMs: number; transaction: string }[]
}

type FeeTierView = {
  id: string
  feePips: number
  tickSpacing: number
  createdAtMs: number
  transaction: string
}

/**
 * Who may trade what. The list applies while it is enabled; pairs are two token ids, the lower first, separated by a
 * slash.
 */
export type ComplianceView = {
  paused: boolean
  pausedPairs: readonly string[]
  disabledPools: readonly string[]
  poolCreation: 'open' | 'gated'
  allowlistEnabled: boolean
  allowedTokens: readonly string[]
  allowedPairs: readonly string[]
}

export type RouteHopView = {
  pool: string
  tokenIn: string
  tokenOut: string
  feePips: number
  amountIn: bigint
  amountOut: bigint
}

export type RouteView = {
  hops: readonly RouteHopView[]
  amountIn: bigint
  amountOut: bigint
  protocolRevision: number
  block: BlockRef
}

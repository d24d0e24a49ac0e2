/**
 * What the indexer offers to the exchange: the chain as its readers see it, block by block. Amounts are bigint base units;
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

/** What one indexed block changed: the feed's raw material. */
export type BlockUpdate = {
  block: BlockRef
  launches: readonly PoolView[]
  poolStats: readonly PoolView[]
  trades: readonly TradeView[]
  candles: readonly CandleView[]
  balanceChanges: readonly BalanceChangeView[]
  config: ConfigChangeView | null
  /** How many blocks known to readers were taken back since the last update: those of these heights came to nothing. */
  reorged: number
}

export type Page<Row> = { rows: readonly Row[]; total: number }

export type Views = {
  /** The last block indexed. */
  head(): BlockRef
  tokens(): readonly TokenView[]
  token(id: string): TokenView | undefined
  /** In order of creation, which never changes. */
  pools(page: { limit: number; offset: number }): Page<PoolView>
  pool(key: string): PoolView | undefined
  explorePools(query: ExploreQuery): Page<ExploreRow>
  exploreOrder(query: Pick<ExploreQuery, 'window' | 'sort' | 'order'>): ExploreOrder
  /** `search` matches symbol, name, address or id, whatever the case. */
  exploreTokens(query: ExploreQuery): Page<TokenRow>
  exploreStats(window: MetricWindow): ExploreStatsView
  /**
   * Newest first; `pool` matches any pool in the route. Private swaps are there for their user and their recipient alone.
   * `total` counts what is kept (history/history-log.ts) and the viewer may see.
   */
  swaps(query: { viewer: string | null; pool?: string; limit: number; offset: number }): Page<SwapView>
  protocolState(): ProtocolStateView
  /** The best route by exact quote over indexed state through no pool twice; undefined where there is none. */
  route(query: {
    tokenIn: string
    tokenOut: string
    amountIn: bigint
    hopsMax: number
  }): RouteView | undefined
  /** The open ones, oldest first. */
  positions(query: OwnedQuery & { limit: number; offset: number }): Page<PositionView>
  /** An open one by its id; undefined unless the address owns it. */
  position(query: { address: string; id: string }): PositionView | undefined
  unclaimed(query: OwnedQuery): UnclaimedView
  feeTiers(): readonly FeeTierView[]
  /** Tokens that the address holds or held, in the order in which it got them first. */
  balances(address: string): readonly BalanceView[]
  /** Of a pool, or of all; newest first. How many are kept is in history/history-log.ts, and `total` counts those. */
  trades(query: { pool?: string; limit: number; offset: number }): Page<TradeView>
  /** Newest first, those of intervals in which the pool traded; as with trades, `total` counts what is kept. */
  candles(query: CandlesQuery): Page<CandleView>
  /** Undefined for a pool that is not known. */
  poolStats(pool: string): PoolStatsView | undefined
  /** Ranges that hold liquidity, by price, the lowest first; undefined for a pool that is not known. */
  liquidityDistribution(pool: string): readonly LiquidityRangeView[] | undefined
  /**
   * For each of the whole numbers of seconds before the last indexed block; null for one before the pool's oldest
   * observation. Undefined for a pool that is not known.
   */
  oracle(query: { pool: string; secondsAgos: readonly number[] }): readonly (OracleView | null)[] | undefined
  compliance(): ComplianceView
  /** Oldest first; how many of all addresses are kept is in history/history-log.ts. */
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

/** Who may trade what. The list binds while it is enabled; pairs are two token ids, the lower first, with a slash between. */
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

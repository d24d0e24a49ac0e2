/**
 * What the indexer offers to the exchange: the chain as its readers see it, block by block. Amounts are bigint base units;
 * prices and dollar figures are exact decimal strings; times are milliseconds since the epoch on the world's clock.
 */
import type { CandleInterval } from './candles/candle-interval.ts'

export type BlockRef = { height: number; hash: string; timeMs: number }

export type TokenView = {
  /** Decimal digits and the suffix `field`: longer than any native number holds. */
  id: string
  address: string
  symbol: string
  name: string
  decimals: number
  ammTokenProgram: string
  underlyingProgram: string | null
  underlyingTokenId: string | null
  image: string | null
  createdAtMs: number
  supply: bigint
}

export type PoolView = {
  id: string
  key: string
  token0: TokenView
  token1: TokenView
  /** Hundredths of a basis point: 3000 is 0.3 %. */
  feePips: number
  tickSpacing: number
  enabled: boolean
  createdAtMs: number
  sqrtPriceX96: bigint
  tick: number
  liquidity: bigint
  balance0: bigint
  balance1: bigint
}

export type MetricWindow = '1h' | '1d' | '1w' | '1m'
export type ExploreSort = 'createdAt' | 'tvlUsd' | 'volumeUsd' | 'priceUsd' | 'priceChangePct'

export type ExploreQuery = {
  window: MetricWindow
  sort: ExploreSort
  order: 'asc' | 'desc'
  limit: number
  offset: number
  /** Matches symbol, name, token address or pool key, whatever the case. */
  search?: string
}

/** A pool with the figures of a window; null where nothing is known (no trade in the window, no dollar price). */
export type ExploreRow = {
  pool: PoolView
  displayFlipped: boolean
  price: string | null
  priceChangePct: string | null
  priceUsd: string | null
  tvlUsd: string | null
  volumeUsd: string | null
  /** Room for whoever renders rows to keep what it made of this one. */
  rendered?: Uint8Array
}

/** A token over all its pools, with the figures of a window; null where the token has no dollar price. */
export type TokenRow = {
  token: TokenView
  /** How many pools trade it. */
  pools: number
  /** What they hold of it. */
  locked: bigint
  /** What was traded of it in the window, bought or sold. */
  volume: bigint
  priceUsd: string | null
  /** Since the window began, through the pools that the price comes from now. */
  priceChangePct: string | null
  tvlUsd: string | null
  volumeUsd: string | null
}

/** The whole market: sums over the pools whose figure is known. */
export type ExploreStatsView = {
  block: BlockRef
  pools: number
  tokens: number
  /** Since the first block, private ones included. */
  swaps: number
  tvlUsd: string
  volumeUsd: string
}

/** All pools in one order. The same object until another block is indexed; not to be read after that. */
export type ExploreOrder = {
  total: number
  /** From 0; the same object, block after block, for as long as it says the same. */
  row(place: number): ExploreRow
}

export type HopView = { pool: string; zeroForOne: boolean }

export type SwapView = {
  id: string
  swapId: string
  user: string
  recipient: string
  hops: readonly HopView[]
  inputToken: TokenView
  outputToken: TokenView
  inputAmount: bigint
  outputAmount: bigint
  amountRemaining: bigint
  isPrivate: boolean
  nonce: string
  executedAtMs: number
  transaction: string
  claimTx: string | null
  claimedAtMs: number | null
  block: number
}

export type TradeView = {
  id: string
  pool: string
  kind: 'swap' | 'mint' | 'burn'
  amount0: bigint
  amount1: bigint
  sqrtPriceX96: bigint
  tick: number
  liquidity: bigint
  price: string
  transaction: string
  /** Who swapped or whose position it is; null where that is private. */
  user: string | null
  block: number
  atMs: number
}

export type CandleView = {
  pool: string
  interval: CandleInterval
  startMs: number
  open: string
  high: string
  low: string
  close: string
  volume0: bigint
  volume1: bigint
}

/** Candles that begin at `fromMs` or later and before `toMs`, all where these are left out. */
export type CandlesQuery = {
  pool: string
  interval: CandleInterval
  limit: number
  offset: number
  fromMs?: number
  toMs?: number
}

/** What happened in a pool since `startMs`, the beginning of a whole candle. */
export type WindowStatsView = {
  startMs: number
  volume0: bigint
  volume1: bigint
  volumeUsd: string | null
  /** Null where nobody traded. */
  priceChangePct: string | null
}

export type PoolStatsView = {
  pool: PoolView
  /** Whole token1 for a whole token0; null without liquidity. */
  price: string | null
  /** Of the token shown first. */
  priceUsd: string | null
  tvlUsd: string | null
  windows: Record<MetricWindow, WindowStatsView>
}

/** A range of prices in which a pool's liquidity is the same; prices are whole token1 for a whole token0. */
export type LiquidityRangeView = {
  tickLower: number
  /** Where the next range begins: the tick itself is outside. */
  tickUpper: number
  priceLower: string
  priceUpper: string
  liquidity: bigint
  /** The tokens in it at the present price, rounded down. */
  amount0: bigint
  amount1: bigint
  /** The present price is in it. */
  isActive: boolean
}

/**
 * What had piled up in a pool's oracle at a moment, and the price weighted by time from then until the last indexed block:
 * that of the mean tick, rounded down, so it may be by a ten-thousandth too low. Null where no time has passed.
 */
export type OracleView = {
  secondsAgo: number
  tickCumulative: bigint
  secondsPerLiquidityCumulativeX128: bigint
  meanTick: number | null
  price: string | null
}

export type BalanceChangeView = {
  address: string
  token: TokenView
  delta: bigint
  balance: bigint
  block: number
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

/** Liquidity in a range of a pool's prices; what is owed is as of the last indexed block, fees included. */
export type PositionView = {
  id: string
  owner: string
  pool: PoolView
  tickLower: number
  tickUpper: number
  liquidity: bigint
  /** What the liquidity would give if it were burnt at the present price, rounded down; fees not included. */
  amount0: bigint
  amount1: bigint
  tokensOwed0: bigint
  tokensOwed1: bigint
  isPrivate: boolean
  /** Null where it is not frozen. */
  frozenAtMs: number | null
  createdAtMs: number
  lastTransaction: string
}

/** What waits for a wallet. */
export type UnclaimedView = {
  /** Swaps with an output not yet claimed, or not all of it; oldest first. */
  pendingSwaps: readonly SwapView[]
  /** Oldest first. */
  positionsWithOwed: readonly PositionView[]
}

export type FeeTierView = {
  id: string
  feePips: number
  tickSpacing: number
  createdAtMs: number
  transaction: string
}

export type BalanceView = { token: TokenView; balance: bigint }

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

export type FaucetRecordView = {
  id: string
  recipient: string
  token: TokenView
  amount: bigint
  transaction: string
  block: number
  atMs: number
}

/** Whose rows, and who looks: a private row is there for its owner alone. */
export type OwnedQuery = { address: string; viewer: string | null }

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
   * `total` counts what is kept (history-limits.ts) and the viewer may see.
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
  /** Of a pool, or of all; newest first. How many are kept is in history-limits.ts, and `total` counts those. */
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
  /** Oldest first; how many of all addresses are kept is in history-limits.ts. */
  faucetRecords(address: string): readonly FaucetRecordView[]
}

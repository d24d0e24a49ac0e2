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

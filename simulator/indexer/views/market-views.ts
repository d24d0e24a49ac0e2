export type BlockRef = { height: number; hash: string; timeMs: number }

export type TokenView = {
  /** Decimal digits and the suffix `field`: exceeds native numbers. */
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

/** Activity in a pool since `startMs`, the start of a whole candle. */
export type WindowStatsView = {
  startMs: number
  volume0: bigint
  volume1: bigint
  volumeUsd: string | null
  /** Null without trades. */
  priceChangePct: string | null
}

export type PoolStatsView = {
  pool: PoolView
  /** Token1 per token0, in whole tokens; null without liquidity. */
  price: string | null
  /** Price of the token shown first. */
  priceUsd: string | null
  tvlUsd: string | null
  windows: Record<MetricWindow, WindowStatsView>
}

/** A price range with constant liquidity; prices are token1 per token0, in whole tokens. */
export type LiquidityRangeView = {
  tickLower: number
  /** Start of the next range (exclusive). */
  tickUpper: number
  priceLower: string
  priceUpper: string
  liquidity: bigint
  /** The tokens in it at the current price, rounded down. */
  amount0: bigint
  amount1: bigint
  /** Contains the current price. */
  isActive: boolean
}

/**
 * Accumulated values of a pool's oracle at a moment, and the time-weighted price from then until the last indexed
 * block: that of the mean tick, rounded down, so it may be a ten-thousandth too low. Null if no time has passed.
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
  /** Matches symbol, name, token address or pool key, in any case. */
  search?: string
  /** How keys, ids and addresses are spelled that `search` matches (default: internal). */
  spelling?: Spelling
}

export type Spelling = Record<'poolKey' | 'tokenId' | 'address', { encode(internal: string): string }>

const SAME = { encode: (internal: string) => internal }
export const INTERNAL_SPELLING: Spelling = { poolKey: SAME, tokenId: SAME, address: SAME }

/** A pool with the figures of a window; null if unknown (no trade in the window, no dollar price). */
export type ExploreRow = {
  pool: PoolView
  displayFlipped: boolean
  price: string | null
  priceChangePct: string | null
  priceUsd: string | null
  tvlUsd: string | null
  volumeUsd: string | null
}

/** A token across all its pools, with the figures of a window; null if the token has no dollar price. */
export type TokenRow = {
  token: TokenView
  pools: number
  /** Amount in all pools. */
  locked: bigint
  volume: bigint
  priceUsd: string | null
  /** Since the start of the window, through the pools that determine the current price. */
  priceChangePct: string | null
  tvlUsd: string | null
  volumeUsd: string | null
}

/** The whole market: sums over the pools with a known figure. */
export type ExploreStatsView = {
  block: BlockRef
  pools: number
  tokens: number
  /** Since the first block, including private ones. */
  swaps: number
  tvlUsd: string
  volumeUsd: string
}

/** All pools in one order. The same object until another block is indexed; do not read it after that. */
export type ExploreOrder = {
  /** By age of the pools, the same array for all orders of a window; a row is the same object across blocks until its content changes. */
  rows: readonly ExploreRow[]
  /** Indices of the rows, in order. */
  places: Int32Array
}

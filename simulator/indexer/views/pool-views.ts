import type { MetricWindow } from './explore-views.ts'
import type { PoolView } from './market-views.ts'

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

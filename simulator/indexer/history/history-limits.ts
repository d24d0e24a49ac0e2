import type { CandleInterval } from '../candle-interval.ts'

/**
 * How much history is kept; the oldest is dropped. Each interval keeps more candles than the window that is read from it
 * has (window-figures.ts), so that the last one before the window is always there.
 */
export const HISTORY_LIMITS = {
  /** Of all pools together. An output that waits to be claimed stays known when its swap is dropped. */
  swaps: 50_000,
  /** Of all pools together, and of each. */
  trades: 10_000,
  tradesPerPool: 1000,
  /** Of all addresses together: of ten thousand claims, as each gives three. */
  faucetRecords: 30_000,
  /** Twelve hours, two days, a week, thirty days, ninety days and a year of a pool that trades all the time. */
  candlesPerPool: { '1m': 720, '5m': 576, '15m': 672, '1h': 720, '4h': 540, '1d': 365 },
} satisfies {
  swaps: number
  trades: number
  tradesPerPool: number
  faucetRecords: number
  candlesPerPool: Record<CandleInterval, number>
}

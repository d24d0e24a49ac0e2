import { type CandleInterval, INTERVAL_MS, intervalStartMs } from '../candle-interval.ts'
import { candleSeries } from '../candles/candle-series.ts'
import type { IndexedPool } from '../index-state.ts'
import type { MetricWindow } from '../views/explore-views.ts'

/**
 * A window is so many candles: the one that the last indexed block falls in, and those before it. So it begins with a
 * whole candle, and is by less than one candle shorter than its name says. A month is thirty days.
 */
export const WINDOWS: Record<MetricWindow, { interval: CandleInterval; candles: number }> = {
  '1h': { interval: '1m', candles: 60 },
  '1d': { interval: '15m', candles: 96 },
  '1w': { interval: '1h', candles: 168 },
  '1m': { interval: '4h', candles: 180 },
}

export type WindowFigures = {
  volume0: bigint
  volume1: bigint
  /** The price when the window began, or the opening price of a younger pool; null where nobody traded since. */
  priceBeforeX96: bigint | null
}

const NOTHING: WindowFigures = { volume0: 0n, volume1: 0n, priceBeforeX96: null }

/** All volume less that before the window: one search, however many candles the window has. */
export function windowFigures(pool: IndexedPool, window: MetricWindow, nowMs: number): WindowFigures {
  const startMs = windowStartMs(window, nowMs)
  const minute = pool.candles.open[0]
  if (!minute || minute.startMs < startMs) return NOTHING
  const series = candleSeries(pool.candles, WINDOWS[window].interval)
  const number = series.firstFrom(startMs)
  const first = series.at(number)
  if (!first) return NOTHING
  return {
    volume0: pool.volume0Total - first.volume0Before,
    volume1: pool.volume1Total - first.volume1Before,
    priceBeforeX96: series.at(number - 1)?.closeX96 ?? pool.openingX96,
  }
}

/** When the window began that ends at `nowMs`. */
export function windowStartMs(window: MetricWindow, nowMs: number): number {
  const { interval, candles } = WINDOWS[window]
  return intervalStartMs(interval, nowMs) - (candles - 1) * INTERVAL_MS[interval]
}

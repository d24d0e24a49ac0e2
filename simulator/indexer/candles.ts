import type { CandleInterval } from './candle-interval.ts'
import type { IndexedPool } from './index-state.ts'
import { type Candle, candleSeries } from './pool-candles.ts'
import { priceText } from './price.ts'
import type { CandlesQuery, CandleView } from './views/trade-views.ts'
import type { Page } from './views/views.ts'

/** A candle with its volume: from its first trade to the next candle's. */
export type FilledCandle = Candle & { volume0: bigint; volume1: bigint }

/** Newest first; only intervals with a trade have one. */
export function pageCandles(pool: IndexedPool | undefined, query: CandlesQuery): Page<CandleView> {
  if (!pool) return { rows: [], total: 0 }
  const { interval, limit, offset, fromMs, toMs } = query
  const series = candleSeries(pool.candles, interval)
  const first = fromMs === undefined ? series.first : Math.max(series.first, series.firstFrom(fromMs))
  const end = toMs === undefined ? series.end : series.firstFrom(toMs)
  const rows: CandleView[] = []
  for (let number = end - 1 - offset; number >= first && rows.length < limit; number--) {
    const candle = series.at(number)
    if (candle) rows.push(candleView(pool, interval, filled(pool, candle, series.at(number + 1))))
  }
  return { rows, total: Math.max(0, end - first) }
}

/** The candles that the index keeps, oldest first. */
export function listKeptCandles(pool: IndexedPool, interval: CandleInterval): readonly FilledCandle[] {
  const series = candleSeries(pool.candles, interval)
  const candles: FilledCandle[] = []
  for (let number = series.first; number < series.end; number++) {
    const candle = series.at(number)
    if (candle) candles.push(filled(pool, candle, series.at(number + 1)))
  }
  return candles
}

/** A copy of the minute of the pool's last trade so far. */
export function openMinute(pool: IndexedPool): FilledCandle {
  const minute = pool.candles.open[0]
  if (!minute) throw new RangeError(`the pool ${pool.key} has no trades`)
  return filled(pool, minute, undefined)
}

export function candleView(
  { key, token0, token1 }: IndexedPool,
  interval: CandleInterval,
  candle: FilledCandle,
): CandleView {
  const text = (sqrtPriceX96: bigint) => priceText(sqrtPriceX96, token0, token1)
  return {
    pool: key,
    interval,
    startMs: candle.startMs,
    open: text(candle.openX96),
    high: text(candle.highX96),
    low: text(candle.lowX96),
    close: text(candle.closeX96),
    volume0: candle.volume0,
    volume1: candle.volume1,
  }
}

function filled(pool: IndexedPool, candle: Candle, next: Candle | undefined): FilledCandle {
  const { startMs, openX96, highX96, lowX96, closeX96, volume0Before, volume1Before } = candle
  return {
    startMs,
    openX96,
    highX96,
    lowX96,
    closeX96,
    volume0Before,
    volume1Before,
    volume0: (next ? next.volume0Before : pool.volume0Total) - volume0Before,
    volume1: (next ? next.volume1Before : pool.volume1Total) - volume1Before,
  }
}

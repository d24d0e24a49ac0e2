import { CANDLE_INTERVALS, type CandleInterval } from '../indexer/candle-interval.ts'
import { type FilledCandle, listKeptCandles } from '../indexer/candles.ts'
import { HISTORY_LIMITS } from '../indexer/history/history-log.ts'
import type { IndexedPool } from '../indexer/index-state.ts'
import type { BookedTrade, Checker } from './book.ts'

const LENGTH_MS: Record<CandleInterval, number> = {
  '1m': 60_000,
  '5m': 300_000,
  '15m': 900_000,
  '1h': 3_600_000,
  '4h': 14_400_000,
  '1d': 86_400_000,
}

/** The open, high, low, close and volume of each candle match the trades in its interval. */
export const candlesAgreeWithTrades: Checker = ({ index, book }) =>
  [...index.pools.values()].flatMap((pool) =>
    CANDLE_INTERVALS.flatMap((interval) => {
      const booked = aggregateCandles(book.trades.get(pool.key) ?? [], LENGTH_MS[interval])
      return differences(pool, interval, booked.slice(-HISTORY_LIMITS.candlesPerPool[interval]))
    }),
  )

function differences(
  pool: IndexedPool,
  interval: CandleInterval,
  booked: readonly BookedCandle[],
): readonly string[] {
  const where = `pool ${pool.key}, ${interval}`
  const found = listKeptCandles(pool, interval)
  if (found.length !== booked.length)
    return [`${where}: ${found.length} candles, trades give ${booked.length}`]
  return booked.flatMap((expected, place) =>
    NAMES.filter((name) => found[place]?.[name] !== expected[name]).map(
      (name) => `${where}: candle ${place}: ${name} ${found[place]?.[name]}, trades give ${expected[name]}`,
    ),
  )
}

const NAMES = ['startMs', 'openX96', 'highX96', 'lowX96', 'closeX96', 'volume0', 'volume1'] as const

type BookedCandle = Pick<FilledCandle, (typeof NAMES)[number]>

function aggregateCandles(trades: readonly BookedTrade[], lengthMs: number): readonly BookedCandle[] {
  const byStart = new Map<number, BookedTrade[]>()
  for (const trade of trades) {
    const startMs = Math.floor(trade.atMs / lengthMs) * lengthMs
    const together = byStart.get(startMs)
    if (together) together.push(trade)
    else byStart.set(startMs, [trade])
  }
  return [...byStart].map(([startMs, together]) => aggregateCandle(startMs, together))
}

function aggregateCandle(startMs: number, trades: readonly BookedTrade[]): BookedCandle {
  const candle = { startMs, openX96: 0n, highX96: 0n, lowX96: 0n, closeX96: 0n, volume0: 0n, volume1: 0n }
  for (const { sqrtPriceX96: priceX96, volume0, volume1 } of trades) {
    if (candle.openX96 === 0n) Object.assign(candle, { openX96: priceX96, lowX96: priceX96 })
    if (priceX96 > candle.highX96) candle.highX96 = priceX96
    if (priceX96 < candle.lowX96) candle.lowX96 = priceX96
    candle.closeX96 = priceX96
    candle.volume0 += volume0
    candle.volume1 += volume1
  }
  return candle
}

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createJournal } from '../undo-log.ts'
import { CANDLE_INTERVALS, type CandleInterval, INTERVAL_MS } from './candle-interval.ts'
import { HISTORY_LIMITS } from './history/history-log.ts'
import {
  addTrade,
  type Candle,
  type CandleSeries,
  candleSeries,
  emptyCandles,
  type PoolCandles,
} from './pool-candles.ts'

const journal = createJournal({ depthMax: 0 })
const MINUTE_MS = 60_000

type Trade = { atMs: number; sqrtPriceX96: bigint }

/** Each trade adds one unit of token0 and two of token1. */
function buildCandles(trades: readonly Trade[]): PoolCandles {
  const candles = emptyCandles()
  for (const [count, trade] of trades.entries()) {
    const volume0Before = BigInt(count)
    addTrade(journal, candles, { ...trade, volume0Before, volume1Before: 2n * volume0Before })
  }
  return candles
}

function listRows(series: CandleSeries): readonly Candle[] {
  const rows: Candle[] = []
  for (let number = series.first; number < series.end; number++) rows.push(series.at(number) as Candle) // as: within the kept range
  return rows
}

test('minutes, and the longer candles built from them', () => {
  const candles = buildCandles([
    { atMs: 0, sqrtPriceX96: 5n },
    { atMs: 59_999, sqrtPriceX96: 9n },
    { atMs: 60_000, sqrtPriceX96: 2n },
    { atMs: 61_000, sqrtPriceX96: 4n },
    { atMs: 5 * MINUTE_MS, sqrtPriceX96: 3n },
  ])
  const text = (interval: CandleInterval) =>
    listRows(candleSeries(candles, interval)).map(
      ({ startMs, openX96, highX96, lowX96, closeX96, volume0Before }) =>
        `${startMs / MINUTE_MS}: ${openX96} ${highX96} ${lowX96} ${closeX96} after ${volume0Before}`,
    )
  expect(text('1m')).toEqual(['0: 5 9 5 9 after 0', '1: 2 4 2 4 after 2', '5: 3 3 3 3 after 4'])
  expect(text('5m')).toEqual(['0: 5 9 2 4 after 0', '5: 3 3 3 3 after 4'])
  for (const interval of ['15m', '1h', '4h', '1d'] as const)
    expect(text(interval)).toEqual(['0: 5 9 2 3 after 0'])
})

/** From no gap to a few days: trades in one minute, and skipped intervals of every kind. */
const gapMs = fc.oneof(
  { arbitrary: fc.nat({ max: 50_000 }), weight: 5 },
  { arbitrary: fc.nat({ max: 60 * MINUTE_MS }), weight: 3 },
  { arbitrary: fc.nat({ max: 3 * 1440 * MINUTE_MS }), weight: 1 },
)
const tradeList = fc
  .array(fc.record({ gapMs, sqrtPriceX96: fc.bigInt({ min: 1n, max: 1000n }) }), { maxLength: 200 })
  .map((steps) => {
    let atMs = 0
    return steps.map(({ gapMs, sqrtPriceX96 }) => {
      atMs += gapMs
      return { atMs, sqrtPriceX96 }
    })
  })

test('every interval has the candles of its trades, whenever it is read', () => {
  fc.assert(
    fc.property(tradeList, fc.constantFrom(...CANDLE_INTERVALS), (trades, interval) => {
      expect(listRows(candleSeries(buildCandles(trades), interval))).toEqual(plainCandles(trades, interval))
    }),
  )
})

test('firstFrom finds the first candle that starts at this time or later', () => {
  fc.assert(
    fc.property(tradeList, fc.constantFrom(...CANDLE_INTERVALS), gapMs, (trades, interval, moment) => {
      const series = candleSeries(buildCandles(trades), interval)
      const expected = plainCandles(trades, interval).findIndex(({ startMs }) => startMs >= moment)
      expect(series.firstFrom(moment)).toBe(expected < 0 ? series.end : expected)
    }),
  )
})

test('the oldest are dropped beyond the limit, and numbering continues', () => {
  const minutes = 2000
  const candles = buildCandles(
    Array.from({ length: minutes }, (_, minute) => ({ atMs: minute * MINUTE_MS, sqrtPriceX96: 1n })),
  )
  for (const interval of CANDLE_INTERVALS) {
    const count = Math.ceil((minutes * MINUTE_MS) / INTERVAL_MS[interval])
    const series = candleSeries(candles, interval)
    expect(series.end).toBe(count)
    expect(series.first).toBe(Math.max(0, count - HISTORY_LIMITS.candlesPerPool[interval]))
    expect(listRows(series).map(({ startMs }) => startMs / INTERVAL_MS[interval])).toEqual(
      Array.from({ length: series.end - series.first }, (_, place) => series.first + place),
    )
  }
})

function plainCandles(trades: readonly Trade[], interval: CandleInterval): readonly Candle[] {
  const lengthMs = INTERVAL_MS[interval]
  const candles = new Map<number, Candle>()
  for (const [count, { atMs, sqrtPriceX96: price }] of trades.entries()) {
    const startMs = Math.floor(atMs / lengthMs) * lengthMs
    const known = candles.get(startMs)
    candles.set(startMs, {
      startMs,
      openX96: known?.openX96 ?? price,
      highX96: known && known.highX96 > price ? known.highX96 : price,
      lowX96: known && known.lowX96 < price ? known.lowX96 : price,
      closeX96: price,
      volume0Before: known?.volume0Before ?? BigInt(count),
      volume1Before: known?.volume1Before ?? 2n * BigInt(count),
    })
  }
  return [...candles.values()]
}

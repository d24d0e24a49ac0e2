import fc from 'fast-check'
import { expect, test } from 'vitest'
import { swapTransaction } from '../chain/test-chain.ts'
import { createJournal } from '../undo-log.ts'
import { CANDLE_INTERVALS, type CandleInterval, INTERVAL_MS } from './candle-interval.ts'
import {
  addTrade,
  type Candle,
  type CandleSeries,
  candleSeries,
  emptyCandles,
  type PoolCandles,
} from './candles.ts'
import { HISTORY_LIMITS } from './history/history-log.ts'
import { createTestIndex, PAIR, TO_A_HALF, TO_SEVEN_EIGHTHS, TO_THREE_QUARTERS } from './test-index.ts'
import type { CandlesQuery } from './views/trade-views.ts'

const MINUTE_MS = 60_000
const down = swapTransaction([PAIR.token0, PAIR.token1], TO_A_HALF.amountIn)
const up = swapTransaction([PAIR.token1, PAIR.token0], TO_THREE_QUARTERS.amountIn)
const furtherUp = swapTransaction([PAIR.token1, PAIR.token0], TO_SEVEN_EIGHTHS.amountIn)

/** Trades in minutes 2 (down and up), 3 and 6 (up). */
function traded() {
  const index = createTestIndex({ symbols: ['USD', 'A'], pools: [['USD', 'A']] })
  index.step(down, up)
  index.step(furtherUp)
  index.step()
  index.step()
  index.step(swapTransaction([PAIR.token1, PAIR.token0], 1000n))
  const rows = (interval: CandleInterval, rest: Partial<CandlesQuery> = {}) =>
    index.views.candles({ pool: PAIR.key, interval, limit: 100, offset: 0, ...rest })
  return { ...index, rows }
}

test('prices and volumes are exact, newest first', () => {
  const { rows } = traded()
  const seven8ths = '0.765625'
  const second = { open: '0.25', high: '0.5625', low: '0.25', close: '0.5625' }
  const third = { open: seven8ths, high: seven8ths, low: seven8ths, close: seven8ths }
  // Paid and received amounts of token0, then of token1.
  const volumes = {
    volume0: 1_003_009_027_082n + 666_666_666_666n,
    volume1: 500_000_000_000n + 250_752_256_771n,
  }
  const minutes = rows('1m')
  expect(minutes.total).toBe(3)
  expect(minutes.rows.slice(1)).toEqual([
    {
      pool: PAIR.key,
      interval: '1m',
      startMs: 3 * MINUTE_MS,
      ...third,
      volume0: TO_SEVEN_EIGHTHS.amountOut,
      volume1: TO_SEVEN_EIGHTHS.amountIn,
    },
    { pool: PAIR.key, interval: '1m', startMs: 2 * MINUTE_MS, ...second, ...volumes },
  ])
  // 997 of 1000 move √P by 997 / 10^12 from 7/8, to a price of 0.765625 + 2 × 7/8 × 997 / 10^12 + (997 / 10^12)²; they
  // buy 997 / (7/8)², rounded down.
  const price = '0.76562500174475'
  const last = { open: price, high: price, low: price, close: price, volume0: 1302n, volume1: 1000n }
  expect(minutes.rows[0]).toMatchObject({ startMs: 6 * MINUTE_MS, ...last })
  const first5 = { startMs: 0, open: '0.25', high: seven8ths, low: '0.25', close: seven8ths }
  expect(rows('5m').rows).toMatchObject([
    { startMs: 5 * MINUTE_MS, ...last },
    { ...first5, volume0: 1_860_151_884_224n, volume1: 876_128_385_157n },
  ])
  for (const interval of ['15m', '1h', '4h', '1d'] as const) {
    expect(rows(interval).rows).toMatchObject([
      {
        ...first5,
        interval,
        high: price,
        close: price,
        volume0: 1_860_151_885_526n,
        volume1: 876_128_386_157n,
      },
    ])
  }
})

test('pages, and the requested time range', () => {
  const { rows, views } = traded()
  const minutes = (rest: Partial<CandlesQuery>) => {
    const page = rows('1m', rest)
    return [page.rows.map(({ startMs }) => startMs / MINUTE_MS), page.total]
  }
  expect(minutes({ limit: 2 })).toEqual([[6, 3], 3])
  expect(minutes({ limit: 2, offset: 2 })).toEqual([[2], 3])
  expect(minutes({ offset: 3 })).toEqual([[], 3])
  expect(minutes({ fromMs: 3 * MINUTE_MS })).toEqual([[6, 3], 2])
  expect(minutes({ fromMs: 2 * MINUTE_MS + 1, toMs: 6 * MINUTE_MS })).toEqual([[3], 1])
  expect(minutes({ toMs: 4 * MINUTE_MS, limit: 1 })).toEqual([[3], 2])
  expect(minutes({ fromMs: 7 * MINUTE_MS })).toEqual([[], 0])
  expect(minutes({ fromMs: 6 * MINUTE_MS, toMs: 3 * MINUTE_MS })).toEqual([[], 0])
  const unknown = views.candles({ pool: '1field', interval: '1m', limit: 1, offset: 0 })
  expect(unknown).toEqual({ rows: [], total: 0 })
})

const journal = createJournal({ depthMax: 0 })

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

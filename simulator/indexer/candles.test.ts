import { expect, test } from 'vitest'
import { swapTransaction } from '../chain/test-chain.ts'
import type { CandleInterval } from './candle-interval.ts'
import { createTestIndex } from './test-index.ts'
import { PAIR, TO_A_HALF, TO_SEVEN_EIGHTHS, TO_THREE_QUARTERS } from './test-pair.ts'
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

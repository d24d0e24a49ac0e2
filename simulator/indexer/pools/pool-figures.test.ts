import { expect, test } from 'vitest'
import { swapTransaction } from '../../chain/test-chain.ts'
import { createClock } from '../../clock.ts'
import { createRandom } from '../../random.ts'
import { createWorld } from '../../world/world.ts'
import { loadWorldFixture, parseStartMs } from '../../world-fixture.ts'
import { createTestIndex, PAIR, TO_A_HALF, TO_THREE_QUARTERS } from '../test-index.ts'
import type { MetricWindow } from '../views/market-views.ts'
import { WINDOWS } from './pool-figures.ts'

const MINUTE_MS = 60_000
const NAMES = Object.keys(WINDOWS) as MetricWindow[] // as: a constant has no other keys
const down = swapTransaction([PAIR.token0, PAIR.token1], TO_A_HALF.amountIn)
const up = swapTransaction([PAIR.token1, PAIR.token0], TO_THREE_QUARTERS.amountIn)
const market = () => createTestIndex({ symbols: ['USD', 'A'], pools: [['USD', 'A']] })

test('a pool’s price, its balances, and its activity in each window', () => {
  const { views, step } = market()
  step(down)
  expect(views.poolStats(PAIR.key)).toMatchObject({
    pool: views.pool(PAIR.key),
    price: '0.25',
    priceUsd: '0.25',
    windows: { '1h': { priceChangePct: '-75', volumeUsd: '500000' } },
  })
  step(up)
  // The pool has, of token0 at 0.5625 dollars, 1,000,000 + 1,003,009.027082 - 666,666.666666; of dollars it has
  // 1,000,000 - 500,000 + 250,752.256771.
  const stats = views.poolStats(PAIR.key)
  expect(stats).toMatchObject({ price: '0.5625', priceUsd: '0.5625', tvlUsd: '1502444.834505' })
  const window = {
    volume0: 1_669_675_693_748n,
    volume1: 750_752_256_771n,
    volumeUsd: '750752.256771',
    priceChangePct: '-43.75',
  }
  for (const name of NAMES) expect(stats?.windows[name]).toMatchObject(window)
  expect(views.poolStats('1field')).toBeUndefined()
})

test('a window is a number of whole candles, including the current one', () => {
  const { views, step } = market()
  step(down)
  const hour = () => views.poolStats(PAIR.key)?.windows['1h']
  for (let minute = 0; minute < 59; minute++) step()
  expect(views.head().timeMs).toBe(61 * MINUTE_MS)
  expect(hour()).toMatchObject({ startMs: 2 * MINUTE_MS, volume0: TO_A_HALF.amountIn, priceChangePct: '-75' })
  step()
  expect(hour()).toMatchObject({ startMs: 3 * MINUTE_MS, volume0: 0n, volumeUsd: '0', priceChangePct: null })
  step(up)
  // From 0.25 to 0.5625.
  expect(hour()).toMatchObject({ volume1: TO_THREE_QUARTERS.amountIn, priceChangePct: '125' })
})

test.each([
  ['five minutes', 5 * MINUTE_MS],
  ['three hours', 180 * MINUTE_MS],
])(
  'volume is that of the window’s candles, and of the swaps since its start; a block each %s',
  (_, intervalMs) => {
    const tiny = loadWorldFixture('tiny')
    const fixture = {
      ...tiny,
      history: { blocks: 300, blockIntervalMs: intervalMs },
      blockIntervalMs: intervalMs,
    }
    const trades: { pool: string; atMs: number; volume0: bigint; volume1: bigint }[] = []
    const { views, mine } = createWorld({
      fixture,
      seed: 7,
      random: createRandom(7),
      clock: createClock({ startMs: parseStartMs(fixture) }),
      accounts: [],
      onMined({ receipts, timeMs: atMs }) {
        for (const event of receipts.flatMap(({ events }) => events)) {
          if (event.kind !== 'swapExecuted') continue
          for (const { pool, zeroForOne, amountIn, amountOut } of event.hops) {
            const [volume0, volume1] = zeroForOne ? [amountIn, amountOut] : [amountOut, amountIn]
            trades.push({ pool, atMs, volume0, volume1 })
          }
        }
      },
    })
    let compared = 0
    for (let round = 0; round < 4; round++) {
      mine(round)
      for (const { key } of views.pools({ limit: 100, offset: 0 }).rows) {
        for (const name of NAMES) {
          const { startMs = 0, volume0, volume1 } = views.poolStats(key)?.windows[name] ?? {}
          const since = trades.filter(({ pool, atMs }) => pool === key && atMs >= startMs)
          const { interval } = WINDOWS[name]
          const candles = views.candles({ pool: key, interval, limit: 1000, offset: 0, fromMs: startMs }).rows
          for (const rows of [since, candles]) {
            expect(rows.reduce((sum, row) => sum + row.volume0, 0n)).toBe(volume0)
            expect(rows.reduce((sum, row) => sum + row.volume1, 0n)).toBe(volume1)
          }
          if (since.length > 1) compared++
        }
      }
    }
    expect(compared).toBeGreaterThan(100)
  },
)

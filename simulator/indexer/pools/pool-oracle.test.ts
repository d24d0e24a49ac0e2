import fc from 'fast-check'
import { expect, test } from 'vitest'
import { sqrtPriceX96AtTick } from '../../amm/tick-math.ts'
import { poolTransactions, swapTransaction } from '../../chain/test-chain.ts'
import { priceText } from '../price.ts'
import { createTestIndex, PAIR, TO_A_HALF } from '../test-index.ts'

/** A minute at a liquidity of 10^12. */
const MINUTE_PER_LIQUIDITY_X128 = (60n << 128n) / 10n ** 12n

test('a minute at one, then a minute at a quarter', () => {
  const { views, step } = createTestIndex({ symbols: ['USD', 'A'], pools: [['USD', 'A']] })
  step(swapTransaction([PAIR.token0, PAIR.token1], TO_A_HALF.amountIn))
  step()
  const rows = views.oracle({ pool: PAIR.key, secondsAgos: [0, 60, 90, 120, 121] })
  // A quarter is at tick -13864; over 120 seconds the mean is -6932, over 90 it is -9242.67, rounded down.
  expect(rows).toEqual([
    {
      secondsAgo: 0,
      tickCumulative: -13_864n * 60n,
      secondsPerLiquidityCumulativeX128: 2n * MINUTE_PER_LIQUIDITY_X128,
      meanTick: null,
      price: null,
    },
    {
      secondsAgo: 60,
      tickCumulative: 0n,
      secondsPerLiquidityCumulativeX128: MINUTE_PER_LIQUIDITY_X128,
      meanTick: -13_864,
      price: '0.249990919289648559',
    },
    {
      secondsAgo: 90,
      tickCumulative: 0n,
      secondsPerLiquidityCumulativeX128: MINUTE_PER_LIQUIDITY_X128 / 2n,
      meanTick: -9243,
      price: '0.396827425974458994',
    },
    {
      secondsAgo: 120,
      tickCumulative: 0n,
      secondsPerLiquidityCumulativeX128: 0n,
      meanTick: -6932,
      price: '0.49999091920718776',
    },
    null,
  ])
  expect(views.oracle({ pool: '1field', secondsAgos: [0] })).toBeUndefined()
})

test('the time-weighted price of an unchanged pool is its price', () => {
  const tick = fc.integer({ min: -60_000, max: 60_000 })
  fc.assert(
    fc.property(tick, fc.integer({ min: 1, max: 300 }), (tick, secondsAgo) => {
      const { views, step } = createTestIndex({ symbols: ['USD', 'A'], pools: [] })
      step(...poolTransactions('USD', 'A', 10n ** 12n, sqrtPriceX96AtTick(tick)))
      for (let minute = 0; minute < 5; minute++) step()
      const pool = views.pool(PAIR.key)
      const price = pool && priceText(pool.sqrtPriceX96, pool.token0, pool.token1)
      const [row] = views.oracle({ pool: PAIR.key, secondsAgos: [secondsAgo] }) ?? []
      expect(row).toMatchObject({ meanTick: tick, price })
    }),
    { numRuns: 50 },
  )
})

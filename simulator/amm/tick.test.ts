import { expect, test } from 'vitest'
import { Q96 } from './full-math.ts'
import { createPool } from './pool.ts'
import { mint } from './position.ts'
import { applySwap, computeSwap } from './swap.ts'
import { sqrtPriceX96AtTick } from './tick-math.ts'

test('all earlier growth counts as below: a tick at the price starts with it, one above with nothing; crossing flips it', () => {
  const pool = createPool({ feePips: 3000, tickSpacing: 60, sqrtPriceX96: Q96, timeS: 2 ** 32 - 10 })
  pool.feeGrowthGlobal0X128 = 11n
  pool.feeGrowthGlobal1X128 = 12n
  mint(pool, { owner: 'lp', tickLower: 0, tickUpper: 60 }, 1n << 60n, 2 ** 32 - 6)
  const nothing = {
    feeGrowthOutside0X128: 0n,
    feeGrowthOutside1X128: 0n,
    tickCumulativeOutside: 0n,
    secondsPerLiquidityOutsideX128: 0n,
    secondsOutside: 0,
  }
  expect(pool.ticks.byTick.get(0)).toMatchObject({
    ...nothing,
    feeGrowthOutside0X128: 11n,
    feeGrowthOutside1X128: 12n,
    secondsPerLiquidityOutsideX128: 4n << 128n,
    secondsOutside: 2 ** 32 - 6,
  })
  expect(pool.ticks.byTick.get(60)).toMatchObject(nothing)

  const sqrtPriceLimitX96 = sqrtPriceX96AtTick(-60)
  applySwap(pool, computeSwap(pool, { zeroForOne: true, amountSpecified: 100n, sqrtPriceLimitX96 }), 5)
  expect(pool.ticks.byTick.get(0)).toMatchObject({
    ...nothing,
    feeGrowthOutside0X128: pool.feeGrowthGlobal0X128 - 11n,
    secondsPerLiquidityOutsideX128: 11n << 68n,
    secondsOutside: 11,
  })
})

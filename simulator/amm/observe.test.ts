import { expect, test } from 'vitest'
import { Q96 } from './full-math.ts'
import { increaseObservationCardinality, observe, snapshotCumulativesInside } from './observe.ts'
import { createPool } from './pool.ts'
import { burn, mint } from './position.ts'
import { applySwap, computeSwap } from './swap.ts'
import { sqrtPriceX96AtTick } from './tick-math.ts'

const lp = { owner: 'lp', tickLower: -600, tickUpper: 600 }
const newPool = () => createPool({ feePips: 3000, tickSpacing: 60, sqrtPriceX96: Q96, timeS: 1000 })

function moveTo(pool: ReturnType<typeof newPool>, tick: number, timeS?: number): void {
  const sqrtPriceLimitX96 = sqrtPriceX96AtTick(tick)
  const zeroForOne = sqrtPriceLimitX96 < pool.sqrtPriceX96
  applySwap(pool, computeSwap(pool, { zeroForOne, amountSpecified: 10n ** 40n, sqrtPriceLimitX96 }), timeS)
}

test('observes several moments in one call', () => {
  const pool = newPool()
  increaseObservationCardinality(pool, 10)
  mint(pool, lp, 1n << 60n, 1000)
  moveTo(pool, 500, 1010)
  moveTo(pool, -500, 1030)
  expect(observe(pool, [40, 30, 20, 10, 0], 1040)).toEqual([
    { tickCumulative: 0n, secondsPerLiquidityCumulativeX128: 0n },
    { tickCumulative: 0n, secondsPerLiquidityCumulativeX128: 10n << 68n },
    { tickCumulative: 5000n, secondsPerLiquidityCumulativeX128: 20n << 68n },
    { tickCumulative: 10_000n, secondsPerLiquidityCumulativeX128: 30n << 68n },
    { tickCumulative: 5000n, secondsPerLiquidityCumulativeX128: 40n << 68n },
  ])
  expect(() => observe(pool, [0, 41], 1040)).toThrow(
    'OLD: the moment is older than the oldest oracle observation',
  )
})

test('an observation is written before the tick or the liquidity in range changes, and only then', () => {
  const pool = newPool()
  increaseObservationCardinality(pool, 10)
  const away = { owner: 'lp', tickLower: 1200, tickUpper: 1800 }
  mint(pool, lp, 1000n, 1001)
  mint(pool, away, 1000n, 1002)
  burn(pool, lp, 0n, 1003)
  burn(pool, lp, 500n, 1004)
  applySwap(pool, computeSwap(pool, { zeroForOne: false, amountSpecified: 1n }), 1005)
  moveTo(pool, 100, 1006)
  expect(pool.oracle.observations.map(({ timeS }) => timeS)).toEqual([1000, 1001, 1004, 1006])
})

test('without a time nothing is written', () => {
  const pool = newPool()
  mint(pool, lp, 1000n)
  moveTo(pool, 100)
  expect(pool.oracle).toEqual(newPool().oracle)
})

test.each([
  ['below', -700],
  ['inside', 0],
  ['above', 700],
])('returns the seconds inside a range from %s it', (_, last) => {
  const pool = newPool()
  mint(pool, lp, 1n << 60n, 1000)
  moveTo(pool, 700, 1010)
  moveTo(pool, 300, 1030)
  moveTo(pool, -700, 1060)
  moveTo(pool, last === -700 ? -701 : last, 1100)
  const secondsInside = 10 + 30 + (last === 0 ? 7 : 0)
  expect(snapshotCumulativesInside(pool, lp, 1107)).toEqual({
    secondsInside,
    tickCumulativeInside: 300n * 30n,
    secondsPerLiquidityInsideX128: BigInt(secondsInside) << 68n,
  })
})

test.each([
  ['uninitialized', { tickLower: -600, tickUpper: 660 }],
  ['uninitialized', { tickLower: -660, tickUpper: 600 }],
  ['TLU', { tickLower: 600, tickUpper: 600 }],
  ['TLM', { tickLower: -887_280, tickUpper: 600 }],
  ['TUM', { tickLower: -600, tickUpper: 887_280 }],
])('rejects a range: %s', (code, range) => {
  const pool = newPool()
  mint(pool, lp, 1000n)
  expect(() => snapshotCumulativesInside(pool, range)).toThrow(expect.objectContaining({ code }))
})

import { expect, test } from 'vitest'
import { Q96 } from './full-math.ts'
import { createPool } from './pool.ts'
import { mint } from './position.ts'
import { applySwap, computeSwap } from './swap.ts'
import {
  SQRT_PRICE_X96_MAX,
  SQRT_PRICE_X96_MIN,
  sqrtPriceX96AtTick,
  TICK_MAX,
  TICK_MIN,
} from './tick-math.ts'

// Ticks 600 and -600 are initialized; limits one unit short of a tick, at it, and one unit beyond.
test.each([
  { zeroForOne: true, offset: 1n, tick: -600, crossed: [] },
  { zeroForOne: true, offset: 0n, tick: -601, crossed: [-600] },
  { zeroForOne: true, offset: -1n, tick: -601, crossed: [-600] },
  { zeroForOne: false, offset: -1n, tick: 599, crossed: [] },
  { zeroForOne: false, offset: 0n, tick: 600, crossed: [600] },
  { zeroForOne: false, offset: 1n, tick: 600, crossed: [600] },
])('stops at a limit $offset from a tick (zeroForOne $zeroForOne)', (expected) => {
  const { zeroForOne, offset } = expected
  const pool = createPool({ feePips: 3000, tickSpacing: 60, sqrtPriceX96: Q96 })
  mint(pool, { owner: 'lp', tickLower: -600, tickUpper: 600 }, 10n ** 18n)
  const sqrtPriceLimitX96 = sqrtPriceX96AtTick(zeroForOne ? -600 : 600) + offset
  for (const amountSpecified of [10n ** 30n, -(10n ** 30n)]) {
    const swap = computeSwap(pool, { zeroForOne, amountSpecified, sqrtPriceLimitX96 })
    expect([swap.sqrtPriceX96, swap.tick, swap.crossed.map(({ tick }) => tick)]).toEqual([
      sqrtPriceLimitX96,
      expected.tick,
      expected.crossed,
    ])
    expect(swap.liquidity).toBe(expected.crossed.length > 0 ? 0n : 10n ** 18n)
  }
})

test.each([true, false])('goes no further than the last tick (zeroForOne %s)', (zeroForOne) => {
  // With spacings of 200 the bitmap's last words extend beyond the price range.
  const near = zeroForOne ? TICK_MIN + 5 : TICK_MAX - 5
  const pool = createPool({ feePips: 10_000, tickSpacing: 200, sqrtPriceX96: sqrtPriceX96AtTick(near) })
  const swap = computeSwap(pool, { zeroForOne, amountSpecified: 1n })
  expect([swap.sqrtPriceX96, swap.tick, swap.amount0, swap.amount1]).toEqual(
    zeroForOne
      ? [SQRT_PRICE_X96_MIN + 1n, TICK_MIN, 0n, 0n]
      : [SQRT_PRICE_X96_MAX - 1n, TICK_MAX - 1, 0n, 0n],
  )
})

test.each([2n ** 255n, -(2n ** 255n) - 1n])(
  'refuses the amount %i, which exceeds 256 bits',
  (amountSpecified) => {
    const pool = createPool({ feePips: 3000, tickSpacing: 60, sqrtPriceX96: Q96 })
    const swap = () => computeSwap(pool, { zeroForOne: true, amountSpecified })
    expect(swap).toThrow(expect.objectContaining({ code: 'overflow' }))
  },
)

test('accepts the extreme amounts of 256 bits', () => {
  const pool = createPool({ feePips: 3000, tickSpacing: 60, sqrtPriceX96: Q96 })
  const paid = mint(pool, { owner: 'lp', tickLower: -600, tickUpper: 600 }, 10n ** 18n)
  const bought = [2n ** 255n - 1n, -(2n ** 255n)].map(
    (amountSpecified) => computeSwap(pool, { zeroForOne: true, amountSpecified }).amount1,
  )
  // The position's whole balance of token1, except the unit lost to rounding.
  expect(bought).toEqual([1n - paid.amount1, 1n - paid.amount1])
})

test.each([
  ['AS', { zeroForOne: true, amountSpecified: 0n }],
  ['SPL', { zeroForOne: true, amountSpecified: 1n, sqrtPriceLimitX96: Q96 }],
  ['SPL', { zeroForOne: true, amountSpecified: 1n, sqrtPriceLimitX96: SQRT_PRICE_X96_MIN }],
  ['SPL', { zeroForOne: false, amountSpecified: 1n, sqrtPriceLimitX96: Q96 }],
  ['SPL', { zeroForOne: false, amountSpecified: 1n, sqrtPriceLimitX96: SQRT_PRICE_X96_MAX }],
] as const)('refuses with %s: %o', (code, options) => {
  const pool = createPool({ feePips: 3000, tickSpacing: 60, sqrtPriceX96: Q96 })
  expect(() => computeSwap(pool, options)).toThrow(expect.objectContaining({ code }))
})

test.each([true, false])(
  'empties a pool down to the end of the price range (zeroForOne %s)',
  (zeroForOne) => {
    const pool = createPool({ feePips: 3000, tickSpacing: 60, sqrtPriceX96: Q96 })
    mint(pool, { owner: 'lp', tickLower: -600, tickUpper: 600 }, 10n ** 18n)
    applySwap(pool, computeSwap(pool, { zeroForOne, amountSpecified: 10n ** 40n }))
    expect([pool.sqrtPriceX96, pool.tick, pool.liquidity]).toEqual(
      zeroForOne ? [SQRT_PRICE_X96_MIN + 1n, -887272, 0n] : [SQRT_PRICE_X96_MAX - 1n, 887271, 0n],
    )
  },
)

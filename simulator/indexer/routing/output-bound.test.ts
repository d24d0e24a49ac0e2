import fc from 'fast-check'
import { expect, test } from 'vitest'
import { AmmError } from '../../amm/amm-error.ts'
import { createPool, type Pool } from '../../amm/pool.ts'
import { fullRangeTicks, mint } from '../../amm/position.ts'
import { applySwap, computeSwap } from '../../amm/swap.ts'
import { SQRT_PRICE_X96_MAX, SQRT_PRICE_X96_MIN, sqrtPriceX96AtTick } from '../../amm/tick-math.ts'
import { type Curve, curveBounds, outputBoundAt, outputBoundUpTo } from './output-bound.ts'

/** The same number of each length, from one bit up. */
const ofBits = (most: number) =>
  fc
    .integer({ min: 0, max: most - 1 })
    .chain((bits) => fc.bigInt({ min: 1n << BigInt(bits), max: (2n << BigInt(bits)) - 1n }))

const anyPrice = fc.oneof(
  { weight: 6, arbitrary: fc.integer({ min: -300_000, max: 300_000 }).map(sqrtPriceX96AtTick) },
  { weight: 3, arbitrary: fc.bigInt({ min: SQRT_PRICE_X96_MIN, max: SQRT_PRICE_X96_MAX - 1n }) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(SQRT_PRICE_X96_MIN, SQRT_PRICE_X96_MIN + 1n, SQRT_PRICE_X96_MAX - 1n),
  },
)

/** Mostly around the price, in spacings from it, so that swaps cross their ends. */
const anyPosition = fc.record({
  below: fc.integer({ min: -4, max: 300 }),
  above: fc.integer({ min: -4, max: 300 }),
  liquidity: ofBits(110),
})

const anyPool: fc.Arbitrary<Pool> = fc
  .record({
    feePips: fc.constantFrom(0, 100, 500, 3000, 10_000, 999_999),
    tickSpacing: fc.constantFrom(1, 10, 60, 200, 16_383),
    sqrtPriceX96: anyPrice,
    everywhere: fc.option(ofBits(110)),
    positions: fc.array(anyPosition, { maxLength: 4 }),
    moved: ofBits(120),
    movedDown: fc.boolean(),
  })
  .map(({ everywhere, positions, moved, movedDown, ...options }) => {
    const pool = createPool(options)
    const { tickSpacing } = options
    if (everywhere)
      attempt(() => mint(pool, { owner: 'everywhere', ...fullRangeTicks(tickSpacing) }, everywhere))
    const center = Math.floor(pool.tick / tickSpacing)
    for (const { below, above, liquidity } of positions) {
      const range = {
        tickLower: (center - below) * tickSpacing,
        tickUpper: (center + above + 1) * tickSpacing,
      }
      attempt(() => mint(pool, { owner: 'about', ...range }, liquidity))
    }
    // Possibly moves away from a tick's exact price, across ticks.
    attempt(() => applySwap(pool, computeSwap(pool, { zeroForOne: movedDown, amountSpecified: moved })))
    return pool
  })

test('no quote exceeds its bounds, for any pool, direction and amount', () => {
  let [quoted, refused] = [0, 0]
  fc.assert(
    fc.property(anyPool, fc.boolean(), ofBits(160), ofBits(100), (pool, zeroForOne, amountIn, less) => {
      const output = quote(pool, zeroForOne, amountIn)
      const bound = outputBoundAt(pool, zeroForOne, Number(amountIn))
      if (bound === 0) {
        expect(output ?? 0n).toBe(0n)
        refused += 1
      }
      if (output === undefined) return
      quoted += 1
      expect(BigInt(bound)).toBeGreaterThanOrEqual(output)
      expect(BigInt(outputBoundUpTo(pool, zeroForOne, Number(amountIn)))).toBeGreaterThanOrEqual(output)
      expect(BigInt(outputBoundUpTo(pool, zeroForOne, Number(amountIn + less)))).toBeGreaterThanOrEqual(
        output,
      )
      expect(BigInt(Math.floor(onCurve(pool, zeroForOne, amountIn)))).toBeGreaterThanOrEqual(output)
    }),
    { seed: 1, numRuns: 1000 },
  )
  expect([quoted > 200, refused > 200]).toEqual([true, true])
})

test('the bound is close: within a billionth and two units of the quote, also across ticks', () => {
  const pool = createPool({ feePips: 3000, tickSpacing: 60, sqrtPriceX96: sqrtPriceX96AtTick(1234) })
  mint(pool, { owner: 'a', ...fullRangeTicks(60) }, 10n ** 18n)
  mint(pool, { owner: 'b', tickLower: 600, tickUpper: 1800 }, 10n ** 19n)
  mint(pool, { owner: 'b', tickLower: 1260, tickUpper: 1320 }, 10n ** 20n)
  for (const zeroForOne of [false, true])
    for (const amountIn of [1n, 1000n, 10n ** 12n, 10n ** 15n, 10n ** 18n, 10n ** 21n]) {
      const output = Number(quote(pool, zeroForOne, amountIn))
      const bound = outputBoundAt(pool, zeroForOne, Number(amountIn))
      expect(bound - output).toBeLessThanOrEqual(2 + output / 1e9)
    }
})

test('a curve is as close if liquidity is constant, and otherwise off by at most the depth of the deepest range', () => {
  const pool = createPool({ feePips: 3000, tickSpacing: 60, sqrtPriceX96: sqrtPriceX96AtTick(1234) })
  mint(pool, { owner: 'a', ...fullRangeTicks(60) }, 10n ** 18n)
  const amounts = [1n, 1000n, 10n ** 12n, 10n ** 15n, 10n ** 18n, 10n ** 21n]
  for (const zeroForOne of [false, true])
    for (const amountIn of amounts) {
      const output = Number(quote(pool, zeroForOne, amountIn))
      expect(onCurve(pool, zeroForOne, amountIn) - output).toBeLessThanOrEqual(2 + output / 1e9)
    }
  const before = amounts.map((amountIn) => onCurve(pool, true, amountIn))
  mint(pool, { owner: 'b', tickLower: -600, tickUpper: 600 }, 10n ** 18n)
  for (const [index, amountIn] of amounts.entries())
    expect(onCurve(pool, true, amountIn)).toBeLessThanOrEqual((before[index] ?? 0) * 2)
})

test('the curve of a pool without liquidity returns nothing', () => {
  const pool = createPool({ feePips: 3000, tickSpacing: 60, sqrtPriceX96: sqrtPriceX96AtTick(1234) })
  expect(onCurve(pool, true, 10n ** 20n)).toBe(0)
})

test('distinguishes a pool that cannot take the amount from one that can', () => {
  const pool = createPool({ feePips: 3000, tickSpacing: 60, sqrtPriceX96: sqrtPriceX96AtTick(0) })
  mint(pool, { owner: 'a', tickLower: -600, tickUpper: 600 }, 10n ** 18n)
  // √1.0001^600 − 1 of 10^18, and the fee on it: whitepaper (6.14).
  const most = Math.floor((1e18 * (1.0001 ** 300 - 1)) / 0.997)
  expect(outputBoundAt(pool, false, most * (1 + 1e-9))).toBe(0)
  expect(outputBoundAt(pool, false, most * (1 - 1e-9))).toBeGreaterThan(0)
  expect(outputBoundUpTo(pool, false, most * 2)).toBeGreaterThan(0)
})

test('accepts what a small pool takes beyond its depth due to rounding', () => {
  const pool = createPool({ feePips: 3000, tickSpacing: 1, sqrtPriceX96: sqrtPriceX96AtTick(0) })
  mint(pool, { owner: 'a', tickLower: -3000, tickUpper: 3000 }, 10_000n)
  // 10^4 × (√1.0001^3000 − 1) is 1,618, and the fee on it 5; each of twelve words rounds up twice.
  const taken = [1623n, 1630n, 1640n].map((amountIn) => quote(pool, false, amountIn) !== undefined)
  expect(taken).toEqual([true, true, false])
  expect(outputBoundAt(pool, false, 1630)).toBeGreaterThanOrEqual(Number(quote(pool, false, 1630n)))
})

function onCurve(pool: Pool, zeroForOne: boolean, amountIn: bigint): number {
  const { token0In, token1In } = curveBounds(pool)
  const { price, scarcity }: Curve = zeroForOne ? token0In : token1In
  return 1 / (price / Number(amountIn) + scarcity)
}

/** Undefined if the pool does not take the whole amount. */
function quote(pool: Pool, zeroForOne: boolean, amountIn: bigint): bigint | undefined {
  return attempt(() => {
    const { amount0, amount1 } = computeSwap(pool, { zeroForOne, amountSpecified: amountIn })
    const [taken, output] = zeroForOne ? [amount0, -amount1] : [amount1, -amount0]
    return taken === amountIn ? output : undefined
  })
}

function attempt<Value>(run: () => Value): Value | undefined {
  try {
    return run()
  } catch (error) {
    if (error instanceof AmmError) return undefined
    throw error
  }
}

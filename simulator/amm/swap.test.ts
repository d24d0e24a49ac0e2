import { CurrencyAmount, Token } from '@uniswap/sdk-core'
import { Pool as SdkPool, TickListDataProvider } from '@uniswap/v3-sdk'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Q96 } from './full-math.ts'
import { createPool, type Pool } from './pool.ts'
import { mint } from './position.ts'
import { applySwap, computeSwap } from './swap.ts'
import { SQRT_PRICE_X96_MAX, SQRT_PRICE_X96_MIN, sqrtPriceX96AtTick } from './tick-math.ts'

const tiers = [
  { feePips: 500, tickSpacing: 10 },
  { feePips: 3000, tickSpacing: 60 },
  { feePips: 10_000, tickSpacing: 200 },
]

/** A pool over the whole range with up to eight narrower positions, some of them out of range. */
const pools = fc
  .record({
    tier: fc.constantFrom(...tiers),
    tick: fc.integer({ min: -100_000, max: 100_000 }),
    base: fc.bigInt({ min: 10n ** 6n, max: 10n ** 24n }),
    positions: fc.array(
      fc.record({
        lower: fc.integer({ min: -60, max: 60 }),
        width: fc.integer({ min: 1, max: 60 }),
        liquidity: fc.bigInt({ min: 1n, max: 10n ** 25n }),
      }),
      { maxLength: 8 },
    ),
  })
  .map(({ tier, tick, base, positions }) => {
    const pool = createPool({ ...tier, sqrtPriceX96: sqrtPriceX96AtTick(tick) })
    const spacing = tier.tickSpacing
    const widest = Math.floor(887_272 / spacing) * spacing
    mint(pool, { owner: 'base', tickLower: -widest, tickUpper: widest }, base)
    const near = Math.floor(tick / spacing)
    for (const { lower, width, liquidity } of positions) {
      const tickLower = (near + lower) * spacing
      mint(pool, { owner: 'lp', tickLower, tickUpper: tickLower + width * spacing }, liquidity)
    }
    return pool
  })

const amounts = fc.oneof(fc.bigInt({ min: 1n, max: 10_000n }), fc.bigInt({ min: 1n, max: 10n ** 24n }))

test('gives the output, and the pool afterwards, that the SDK gives', async () => {
  const [token0, token1] = [1, 2].map((digit) => new Token(1, `0x${`${digit}`.repeat(40)}`, 18))
  if (!token0 || !token1) throw new Error('two tokens')
  let crossings = 0
  await fc.assert(
    fc.asyncProperty(pools, amounts, fc.boolean(), async (pool, amount, zeroForOne) => {
      const input = CurrencyAmount.fromRawAmount(zeroForOne ? token0 : token1, amount.toString())
      const [output, after] = await toSdk(pool, token0, token1).getOutputAmount(input)
      const swap = computeSwap(pool, { zeroForOne, amountSpecified: amount })
      expect({
        amountOut: `${zeroForOne ? -swap.amount1 : -swap.amount0}`,
        sqrtPriceX96: `${swap.sqrtPriceX96}`,
        tick: swap.tick,
        liquidity: `${swap.liquidity}`,
      }).toEqual({
        amountOut: `${output.quotient}`,
        sqrtPriceX96: `${after.sqrtRatioX96}`,
        tick: after.tickCurrent,
        liquidity: `${after.liquidity}`,
      })
      crossings += swap.crossed.length
    }),
    { seed: 1, numRuns: 400 },
  )
  expect(crossings).toBeGreaterThan(200)
})

test('computing leaves the pool as it was', () => {
  fc.assert(
    fc.property(pools, amounts, fc.boolean(), (pool, amount, zeroForOne) => {
      const before = structuredClone(pool)
      computeSwap(pool, { zeroForOne, amountSpecified: amount })
      expect(pool).toEqual(before)
    }),
    { seed: 2, numRuns: 100 },
  )
})

test('moves the price only the way it trades, and not past the limit', () => {
  fc.assert(
    fc.property(pools, amounts, fc.boolean(), fc.boolean(), (pool, amount, zeroForOne, exactIn) => {
      const limit = sqrtPriceX96AtTick(pool.tick + (zeroForOne ? -777 : 777))
      const swap = computeSwap(pool, {
        zeroForOne,
        amountSpecified: exactIn ? amount : -amount,
        sqrtPriceLimitX96: limit,
      })
      const [low, high] = zeroForOne ? [limit, pool.sqrtPriceX96] : [pool.sqrtPriceX96, limit]
      expect(low <= swap.sqrtPriceX96 && swap.sqrtPriceX96 <= high).toBe(true)
      // The pool is paid on the one side and pays on the other.
      expect(
        zeroForOne ? swap.amount0 >= 0n && swap.amount1 <= 0n : swap.amount1 >= 0n && swap.amount0 <= 0n,
      ).toBe(true)
    }),
    { seed: 3, numRuns: 300 },
  )
})

test('no round trip gains', () => {
  fc.assert(
    fc.property(pools, amounts, fc.boolean(), (pool, amount, zeroForOne) => {
      const there = computeSwap(pool, { zeroForOne, amountSpecified: amount })
      const received = zeroForOne ? -there.amount1 : -there.amount0
      fc.pre(received > 0n)
      applySwap(pool, there)
      const back = computeSwap(pool, { zeroForOne: !zeroForOne, amountSpecified: received })
      expect(zeroForOne ? -back.amount0 : -back.amount1).toBeLessThan(amount)
    }),
    { seed: 4, numRuns: 300 },
  )
})

test('fee growth never falls over a run of swaps', () => {
  fc.assert(
    fc.property(pools, fc.array(fc.tuple(amounts, fc.boolean()), { maxLength: 12 }), (pool, swaps) => {
      for (const [amount, zeroForOne] of swaps) {
        const before = [pool.feeGrowthGlobal0X128, pool.feeGrowthGlobal1X128] as const
        applySwap(pool, computeSwap(pool, { zeroForOne, amountSpecified: amount }))
        expect(pool.feeGrowthGlobal0X128 >= before[0] && pool.feeGrowthGlobal1X128 >= before[1]).toBe(true)
      }
    }),
    { seed: 5, numRuns: 100 },
  )
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

test.each([true, false])('empties a pool down to the end of prices (zeroForOne %s)', (zeroForOne) => {
  const pool = createPool({ feePips: 3000, tickSpacing: 60, sqrtPriceX96: Q96 })
  mint(pool, { owner: 'lp', tickLower: -600, tickUpper: 600 }, 10n ** 18n)
  applySwap(pool, computeSwap(pool, { zeroForOne, amountSpecified: 10n ** 40n }))
  expect([pool.sqrtPriceX96, pool.tick, pool.liquidity]).toEqual(
    zeroForOne ? [SQRT_PRICE_X96_MIN + 1n, -887272, 0n] : [SQRT_PRICE_X96_MAX - 1n, 887271, 0n],
  )
})

function toSdk(pool: Pool, token0: Token, token1: Token): SdkPool {
  const ticks = pool.ticks.ascending.map((index) => {
    const state = pool.ticks.byTick.get(index)
    return { index, liquidityGross: `${state?.liquidityGross}`, liquidityNet: `${state?.liquidityNet}` }
  })
  return new SdkPool(
    token0,
    token1,
    pool.feePips,
    `${pool.sqrtPriceX96}`,
    `${pool.liquidity}`,
    pool.tick,
    new TickListDataProvider(ticks, pool.tickSpacing),
  )
}

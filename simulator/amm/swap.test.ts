import { CurrencyAmount, Fraction, Token } from '@uniswap/sdk-core'
import { Pool as SdkPool, TickListDataProvider } from '@uniswap/v3-sdk'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { IN_FULL } from '../../tools/test/tree-sample.ts'
import { UINT256_MAX, wrap256 } from './full-math.ts'
import { createPool, type Pool } from './pool.ts'
import { mint } from './position.ts'
import { applySwap, computeSwap, type Swap } from './swap.ts'
import {
  SQRT_PRICE_X96_MAX,
  SQRT_PRICE_X96_MIN,
  sqrtPriceX96AtTick,
  TICK_MAX,
  TICK_MIN,
} from './tick-math.ts'

const TOKENS = [new Token(1, `0x${'1'.repeat(40)}`, 18), new Token(1, `0x${'2'.repeat(40)}`, 18)] as const

const jsbi = (value: bigint) => new Fraction(value.toString()).quotient

const tiers = [
  { feePips: 100, tickSpacing: 1 },
  { feePips: 500, tickSpacing: 10 },
  { feePips: 3000, tickSpacing: 60 },
  { feePips: 10_000, tickSpacing: 200 },
]

/** Up to eight narrow positions, some of them out of range, usually over one that spans all prices. */
const pools = fc
  .record({
    tier: fc.constantFrom(...tiers),
    tick: fc.integer({ min: -100_000, max: 100_000 }),
    base: fc.oneof(
      { weight: 1, arbitrary: fc.constant(1n) },
      { weight: 4, arbitrary: fc.bigInt({ min: 10n ** 6n, max: 10n ** 24n }) },
    ),
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
/** A limit in hundredths of a spacing from the nearest tick, so that some swaps end at an initialized tick's price. */
const orders = fc.record({
  zeroForOne: fc.boolean(),
  exactIn: fc.boolean(),
  amount: amounts,
  limit: fc.oneof(fc.constant(undefined), fc.constantFrom(100, 200, 400), fc.integer({ min: 1, max: 7000 })),
})

test('amounts and resulting pools equal the SDK’s, over sequences of one to three swaps', async () => {
  const seen = { in: 0, out: 0, limited: 0, unfilled: 0, crossings: 0, atLimit: 0 }
  await fc.assert(
    fc.asyncProperty(pools, fc.array(orders, { minLength: 1, maxLength: 3 }), async (generated, run) => {
      const pool = structuredClone(generated)
      let sdkPool = toSdk(pool)
      for (const { zeroForOne, exactIn, amount, limit } of run) {
        if (isAtEnd(pool, zeroForOne)) continue
        const sqrtPriceLimitX96 = limitPrice(pool, zeroForOne, limit)
        const request = { zeroForOne, ...(sqrtPriceLimitX96 && { sqrtPriceLimitX96 }) }
        const swap = computeSwap(pool, { ...request, amountSpecified: exactIn ? amount : -amount })
        const [amountIn, amountOut] = zeroForOne
          ? [swap.amount0, -swap.amount1]
          : [swap.amount1, -swap.amount0]
        const token = (exactIn === zeroForOne ? TOKENS[0] : TOKENS[1]) ?? expect.fail()
        const specified = CurrencyAmount.fromRawAmount(token, `${amount}`)
        const sdkLimit = sqrtPriceLimitX96 === undefined ? undefined : jsbi(sqrtPriceLimitX96)
        const [calculated, after] = exactIn
          ? await sdkPool.getOutputAmount(specified, sdkLimit)
          : await sdkPool.getInputAmount(specified, sdkLimit)
        applySwap(pool, swap)
        sdkPool = after
        expect({
          calculated: exactIn ? amountOut : amountIn,
          price: pool.sqrtPriceX96,
          tick: pool.tick,
          liquidity: pool.liquidity,
        }).toEqual({
          calculated: BigInt(`${calculated.quotient}`),
          price: BigInt(`${after.sqrtRatioX96}`),
          tick: after.tickCurrent,
          liquidity: BigInt(`${after.liquidity}`),
        })
        seen[exactIn ? 'in' : 'out']++
        seen.crossings += swap.crossed.length
        if (sqrtPriceLimitX96) seen.limited++
        if (sqrtPriceLimitX96 === pool.sqrtPriceX96) seen.atLimit++
        if ((exactIn ? amountIn : amountOut) < amount) seen.unfilled++
      }
    }),
    { seed: 1, numRuns: IN_FULL ? 2000 : 400 },
  )
  expect(Math.min(...Object.values(seen))).toBeGreaterThan(IN_FULL ? 300 : 60)
})

test('computing a swap does not change the pool', () => {
  fc.assert(
    fc.property(pools, amounts, fc.boolean(), (pool, amount, zeroForOne) => {
      const before = structuredClone(pool)
      computeSwap(pool, { zeroForOne, amountSpecified: amount })
      expect(pool).toEqual(before)
    }),
    { seed: 2, numRuns: 100 },
  )
})

test('moves the price only in the direction of the trade, and not past the limit', () => {
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
      // One token is a gain of the pool, the other a payment.
      expect(
        zeroForOne ? swap.amount0 >= 0n && swap.amount1 <= 0n : swap.amount1 >= 0n && swap.amount0 <= 0n,
      ).toBe(true)
    }),
    { seed: 3, numRuns: 300 },
  )
})

test('a round trip never gains', () => {
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

test('fee growth never falls over a sequence of swaps, though it wraps', () => {
  let wraps = 0
  fc.assert(
    fc.property(
      pools,
      fc.array(fc.tuple(amounts, fc.boolean()), { minLength: 3, maxLength: 12 }),
      (generated, swaps) => {
        const pool = structuredClone(generated)
        pool.feeGrowthGlobal0X128 = UINT256_MAX - 1n
        for (const [amount, zeroForOne] of swaps) {
          if (isAtEnd(pool, zeroForOne)) continue
          const before = [pool.feeGrowthGlobal0X128, pool.feeGrowthGlobal1X128] as const
          const swap = computeSwap(pool, { zeroForOne, amountSpecified: amount })
          applySwap(pool, swap)
          const grown0 = wrap256(pool.feeGrowthGlobal0X128 - before[0])
          const grown1 = wrap256(pool.feeGrowthGlobal1X128 - before[1])
          expect(grown0 < 1n << 255n && grown1 < 1n << 255n).toBe(true)
          expect(zeroForOne ? grown1 : grown0).toBe(0n)
          if (pool.feeGrowthGlobal0X128 < before[0]) wraps++
        }
      },
    ),
    { seed: 5, numRuns: 100 },
  )
  expect(wraps).toBeGreaterThan(50)
})

test('splitting a trade within a range of constant liquidity never gains', () => {
  fc.assert(
    fc.property(
      fc.bigInt({ min: 10n ** 6n, max: 10n ** 30n }),
      fc.constantFrom(...tiers),
      amounts,
      fc.bigInt({ min: 1n, max: 99n }),
      fc.boolean(),
      (liquidity, tier, amount, percent, zeroForOne) => {
        // One word of the bitmap on either side of the starting price.
        const first = (amount * percent) / 100n
        fc.pre(first > 0n)
        const pool = createPool({ ...tier, sqrtPriceX96: sqrtPriceX96AtTick(128 * tier.tickSpacing) })
        mint(pool, { owner: 'lp', tickLower: 0, tickUpper: 256 * tier.tickSpacing }, liquidity)
        const whole = computeSwap(pool, { zeroForOne, amountSpecified: amount })
        fc.pre(whole.crossed.length === 0)
        expect(received(splitSwap(pool, zeroForOne, [first, amount - first]))).toBeLessThanOrEqual(
          received([whole]),
        )
      },
    ),
    { seed: 6, numRuns: 500 },
  )
})

test('splitting a trade across ticks gains at most a unit of input per step', () => {
  let crossings = 0
  fc.assert(
    fc.property(
      pools,
      amounts,
      fc.integer({ min: 2, max: 5 }),
      fc.boolean(),
      (pool, amount, parts, zeroForOne) => {
        const part = amount / BigInt(parts)
        fc.pre(part > 0n)
        const split = Array.from({ length: parts }, () => part)
        const swaps = splitSwap(pool, zeroForOne, split)
        const last = swaps.at(-1)
        fc.pre(last !== undefined)
        // A step that ends at a tick rounds its input up before the fee: split, it may cost a unit less.
        const steps = BigInt(stepsMax(pool, last?.tick ?? pool.tick))
        const whole = computeSwap(pool, { zeroForOne, amountSpecified: part * BigInt(parts) + steps })
        expect(received(swaps)).toBeLessThanOrEqual(received([whole]))
        crossings += whole.crossed.length
      },
    ),
    { seed: 7, numRuns: 300 },
  )
  expect(crossings).toBeGreaterThan(200)
})

function splitSwap(pool: Pool, zeroForOne: boolean, parts: readonly bigint[]): Swap[] {
  const trading = structuredClone(pool)
  return parts.flatMap((amountSpecified) => {
    if (isAtEnd(trading, zeroForOne)) return []
    const swap = computeSwap(trading, { zeroForOne, amountSpecified })
    applySwap(trading, swap)
    return [swap]
  })
}

function received(swaps: readonly Swap[]): bigint {
  return swaps.reduce((sum, { zeroForOne, amount0, amount1 }) => sum - (zeroForOne ? amount1 : amount0), 0n)
}

/** Number of steps between the pool's tick and another: one per tick and word in between, and the last. */
function stepsMax({ tick, tickSpacing, ticks }: Pool, otherTick: number): number {
  const [low, high] = [Math.min(tick, otherTick), Math.max(tick, otherTick)]
  const between = ticks.ascending.filter((end) => end >= low && end <= high).length
  return between + Math.ceil((high - low) / (256 * tickSpacing)) + 1
}

/** At an end of the price range the pool refuses any limit. */
function isAtEnd({ sqrtPriceX96 }: Pool, zeroForOne: boolean): boolean {
  return sqrtPriceX96 === (zeroForOne ? SQRT_PRICE_X96_MIN + 1n : SQRT_PRICE_X96_MAX - 1n)
}

function limitPrice(pool: Pool, zeroForOne: boolean, limit: number | undefined): bigint | undefined {
  if (limit === undefined) return undefined
  const nearest = Math.floor(pool.tick / pool.tickSpacing) * pool.tickSpacing
  const distance = Math.ceil((limit * pool.tickSpacing) / 100)
  const tick = nearest + (zeroForOne ? -distance : distance)
  if (tick <= TICK_MIN || tick >= TICK_MAX) return undefined
  const priceX96 = sqrtPriceX96AtTick(tick)
  return (zeroForOne ? priceX96 < pool.sqrtPriceX96 : priceX96 > pool.sqrtPriceX96) ? priceX96 : undefined
}

function toSdk(pool: Pool): SdkPool {
  const [token0, token1] = TOKENS
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

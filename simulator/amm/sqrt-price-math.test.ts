import { Fraction } from '@uniswap/sdk-core'
import { SqrtPriceMath } from '@uniswap/v3-sdk'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Q96, UINT128_MAX } from './full-math.ts'
import {
  amount0Delta,
  amount1Delta,
  nextSqrtPriceFromInput,
  nextSqrtPriceFromOutput,
} from './sqrt-price-math.ts'
import { SQRT_PRICE_X96_MAX, SQRT_PRICE_X96_MIN } from './tick-math.ts'

const prices = fc.bigInt({ min: SQRT_PRICE_X96_MIN, max: SQRT_PRICE_X96_MAX - 1n })
const liquidities = fc.bigInt({ min: 1n, max: UINT128_MAX })
const jsbi = (value: bigint) => new Fraction(value.toString()).quotient

test('amounts equal the SDK’s, rounded either way', () => {
  fc.assert(
    fc.property(prices, prices, liquidities, fc.boolean(), (a, b, liquidity, up) => {
      const sdk = [jsbi(a), jsbi(b), jsbi(liquidity), up] as const
      const rounding = up ? 'up' : 'down'
      expect(`${amount0Delta(a, b, liquidity, rounding)}`).toBe(`${SqrtPriceMath.getAmount0Delta(...sdk)}`)
      expect(`${amount1Delta(a, b, liquidity, rounding)}`).toBe(`${SqrtPriceMath.getAmount1Delta(...sdk)}`)
    }),
    { seed: 1, numRuns: 400 },
  )
})

test('the price after an input equals the SDK’s', () => {
  fc.assert(
    fc.property(
      prices,
      fc.bigInt({ min: 1n << 40n, max: UINT128_MAX }),
      fc.bigInt({ min: 0n, max: 1n << 90n }),
      fc.boolean(),
      (sqrtPriceX96, liquidity, amount, zeroForOne) => {
        fc.pre(zeroForOne || sqrtPriceX96 + (amount << 96n) / liquidity < 1n << 160n)
        const sdk = SqrtPriceMath.getNextSqrtPriceFromInput(
          jsbi(sqrtPriceX96),
          jsbi(liquidity),
          jsbi(amount),
          zeroForOne,
        )
        const next = nextSqrtPriceFromInput({ sqrtPriceX96, liquidity, amount, zeroForOne })
        expect(`${next}`).toBe(`${sdk}`)
      },
    ),
    { seed: 2, numRuns: 400 },
  )
})

test('the price equals the SDK’s if the formula overflows and falls back', () => {
  let differ = 0
  // The formulas differ only at high liquidity and a small input that overflows.
  const overflowing = fc
    .tuple(fc.bigInt({ min: 1n << 97n, max: 1n << 110n }), fc.bigInt({ min: 0n, max: 1n << 90n }))
    .map(([amount, more]) => ({ amount, sqrtPriceX96: (1n << 256n) / amount + more }))
    .filter(({ sqrtPriceX96 }) => sqrtPriceX96 < SQRT_PRICE_X96_MAX)
  const much = fc.bigInt({ min: 1n << 124n, max: UINT128_MAX })
  fc.assert(
    fc.property(overflowing, fc.oneof(liquidities, much), ({ amount, sqrtPriceX96 }, liquidity) => {
      const sdk = SqrtPriceMath.getNextSqrtPriceFromInput(
        jsbi(sqrtPriceX96),
        jsbi(liquidity),
        jsbi(amount),
        true,
      )
      const next = nextSqrtPriceFromInput({ sqrtPriceX96, liquidity, amount, zeroForOne: true })
      expect(`${next}`).toBe(`${sdk}`)
      const denominator = liquidity * Q96 + amount * sqrtPriceX96
      if (next !== (liquidity * sqrtPriceX96 * Q96 + denominator - 1n) / denominator) differ++
    }),
    { seed: 3, numRuns: 500 },
  )
  expect(differ).toBeGreaterThan(50)
})

test('uses it if only the sum exceeds 256 bits', () => {
  // L<<96 is just below 2^224; the product still fits, and the fallback differs in the last digit.
  const sqrtPriceX96 = (1n << 155n) + 12345n
  const liquidity = UINT128_MAX
  const amount = ((1n << 256n) - 1n) / sqrtPriceX96
  const liquidityX96 = liquidity << 96n
  expect(amount * sqrtPriceX96).toBeLessThan(1n << 256n)
  expect(amount * sqrtPriceX96 + liquidityX96).toBeGreaterThanOrEqual(1n << 256n)
  const denominator = liquidityX96 / sqrtPriceX96 + amount
  const next = nextSqrtPriceFromInput({ sqrtPriceX96, liquidity, amount, zeroForOne: true })
  expect(next).toBe((liquidityX96 + denominator - 1n) / denominator)
})

test('an input of 0 leaves the price unchanged', () => {
  for (const zeroForOne of [true, false]) {
    expect(nextSqrtPriceFromInput({ sqrtPriceX96: Q96, liquidity: 10n, amount: 0n, zeroForOne })).toBe(Q96)
  }
})

test.each([
  ['price', { sqrtPriceX96: 0n, liquidity: 1n }],
  ['liquidity', { sqrtPriceX96: Q96, liquidity: 0n }],
])('refuses to move a price without %s', (_, state) => {
  for (const move of [nextSqrtPriceFromInput, nextSqrtPriceFromOutput]) {
    expect(() => move({ ...state, amount: 1n, zeroForOne: true })).toThrow('overflow')
  }
})

test.each([true, false])('refuses an output of the range’s whole balance (zeroForOne %s)', (zeroForOne) => {
  // At price 1 a liquidity of 1000 holds 1000 of either token.
  const move = (amount: bigint) => () =>
    nextSqrtPriceFromOutput({ sqrtPriceX96: Q96, liquidity: 1000n, amount, zeroForOne })
  expect(move(1000n)).toThrow('overflow')
  expect(move(999n)).not.toThrow()
})

test('refuses an input that lifts the price beyond 160 bits', () => {
  const sqrtPriceX96 = (1n << 160n) - 1n
  expect(() =>
    nextSqrtPriceFromInput({ sqrtPriceX96, liquidity: 1n, amount: 1n, zeroForOne: false }),
  ).toThrow('overflow')
})

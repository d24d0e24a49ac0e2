import { Fraction } from '@uniswap/sdk-core'
import { TickMath } from '@uniswap/v3-sdk'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  SQRT_PRICE_X96_MAX,
  SQRT_PRICE_X96_MIN,
  sqrtPriceX96AtTick,
  TICK_MAX,
  TICK_MIN,
  tickAtSqrtPriceX96,
} from './tick-math.ts'

const ticks = fc.integer({ min: TICK_MIN, max: TICK_MAX })

test('the price equals the SDK’s, at any tick', () => {
  fc.assert(
    fc.property(ticks, (tick) => {
      expect(sqrtPriceX96AtTick(tick).toString()).toBe(TickMath.getSqrtRatioAtTick(tick).toString())
    }),
  )
})

test('the tick equals the SDK’s, at any price', () => {
  const prices = fc
    .tuple(fc.integer({ min: 33, max: 160 }), fc.bigInt({ min: 0n, max: (1n << 160n) - 1n }))
    .map(([bits, value]) => (1n << BigInt(bits - 1)) | (value >> BigInt(161 - bits)))
    .filter((price) => price >= SQRT_PRICE_X96_MIN && price < SQRT_PRICE_X96_MAX)
  fc.assert(
    fc.property(prices, (price) => {
      expect(tickAtSqrtPriceX96(price)).toBe(
        TickMath.getTickAtSqrtRatio(new Fraction(price.toString()).quotient),
      )
    }),
  )
})

test('finds each tick from its price, and the one below from a unit less', () => {
  fc.assert(
    fc.property(fc.integer({ min: TICK_MIN + 1, max: TICK_MAX - 1 }), (tick) => {
      expect(tickAtSqrtPriceX96(sqrtPriceX96AtTick(tick))).toBe(tick)
      expect(tickAtSqrtPriceX96(sqrtPriceX96AtTick(tick) - 1n)).toBe(tick - 1)
    }),
  )
})

test('reaches the ends of the range and not beyond', () => {
  expect(sqrtPriceX96AtTick(TICK_MIN)).toBe(SQRT_PRICE_X96_MIN)
  expect(sqrtPriceX96AtTick(TICK_MAX)).toBe(SQRT_PRICE_X96_MAX)
  expect(tickAtSqrtPriceX96(SQRT_PRICE_X96_MIN)).toBe(TICK_MIN)
  expect(tickAtSqrtPriceX96(SQRT_PRICE_X96_MAX - 1n)).toBe(TICK_MAX - 1)
})

test.each([TICK_MIN - 1, TICK_MAX + 1])('refuses the tick %i', (tick) => {
  expect(() => sqrtPriceX96AtTick(tick)).toThrow('T: the tick is out of range')
})

test.each([SQRT_PRICE_X96_MIN - 1n, SQRT_PRICE_X96_MAX])('refuses the price %i', (price) => {
  expect(() => tickAtSqrtPriceX96(price)).toThrow('R: the square-root price is out of range')
})

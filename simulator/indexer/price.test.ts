import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Q96 } from '../amm/full-math.ts'
import { SQRT_PRICE_X96_MAX, SQRT_PRICE_X96_MIN } from '../amm/tick-math.ts'
import {
  compareDecimals,
  decimalText,
  percentMoved,
  priceDigits,
  priceText,
  SCALE,
  scaledInversePrice,
} from './price.ts'

const decimals = (count: number) => ({ decimals: count })

test.each([
  [Q96, 6, 6, '1'],
  [2n * Q96, 6, 6, '4'],
  [Q96 / 2n, 6, 6, '0.25'],
  [Q96, 18, 6, '1000000000000'],
  [Q96, 6, 18, '0.000000000001'],
  [Q96, 0, 24, '0.000000000000000000000001'],
  // About a third: 18 decimals; about a three-hundredth: 18 significant digits.
  [45742400955009932534161870629n, 6, 6, '0.333333333333333333'],
  [4574240095500993253416187062n, 6, 6, '0.00333333333333333333'],
  // √2 as Q64.96, truncated: its square falls short of 2 only in the 29th digit.
  [112045541949572279837463876454n, 6, 6, '1.999999999999999999'],
])('the square-root price %i with %i and %i decimals is %s', (sqrtPriceX96, decimals0, decimals1, text) => {
  expect(priceText(sqrtPriceX96, decimals(decimals0), decimals(decimals1))).toBe(text)
})

test('any price is a plain decimal of bounded length, truncated after 18 decimals or 18 significant digits', () => {
  const sqrtPrices = fc.bigInt(SQRT_PRICE_X96_MIN, SQRT_PRICE_X96_MAX - 1n)
  // Most drawn prices are high: shifting gives all magnitudes.
  const shifts = fc.nat(128)
  fc.assert(
    fc.property(sqrtPrices, shifts, fc.nat(24), fc.nat(24), (drawn, shift, decimals0, decimals1) => {
      const shifted = drawn >> BigInt(shift)
      const sqrtPriceX96 = shifted < SQRT_PRICE_X96_MIN ? SQRT_PRICE_X96_MIN : shifted
      const text = priceText(sqrtPriceX96, decimals(decimals0), decimals(decimals1))
      expect(text).toMatch(/^(0|[1-9]\d*)(\.\d*[1-9])?$/)
      expect(text.length).toBeLessThanOrEqual(82)
      const [whole = '', fraction = ''] = text.split('.')
      const shown = (BigInt(whole + fraction) * 10n ** BigInt(decimals1)) << 192n
      const exact = sqrtPriceX96 ** 2n * 10n ** BigInt(decimals0 + fraction.length)
      expect(shown).toBeLessThanOrEqual(exact)
      const unit = (10n ** BigInt(fraction.length + decimals1)) << 192n
      const least = exact * 10n < unit ? exact / 10n ** 17n : unit / 10n ** 18n
      expect(exact - shown).toBeLessThanOrEqual(least)
    }),
  )
})

test.each([
  [SQRT_PRICE_X96_MIN, 0, 24, 81],
  [SQRT_PRICE_X96_MAX - 1n, 24, 0, 82],
])(
  'the square-root price %i with %i and %i decimals is %i characters long',
  (sqrtPriceX96, decimals0, decimals1, length) => {
    expect(priceText(sqrtPriceX96, decimals(decimals0), decimals(decimals1))).toHaveLength(length)
  },
)

test('the inverse is computed separately', () => {
  expect(scaledInversePrice(2n * Q96, decimals(6), decimals(6))).toBe(SCALE / 4n)
})

test.each([
  [Q96, 2n * Q96, 3_000_000n],
  [2n * Q96, Q96, -750_000n],
  [Q96, Q96, 0n],
])('from %i to %i the price moves by %i ten-thousandths of a percent', (from, to, moved) => {
  expect(percentMoved(from, to)).toBe(moved)
})

test.each([
  [0n, 6, 6, '0'],
  [1n, 6, 6, '0.000001'],
  [1_000_000n, 6, 6, '1'],
  [-1_500_000n, 6, 6, '-1.5'],
  [123_456_789n, 6, 2, '123.45'],
  [-9_999n, 6, 2, '0'],
  [10n ** 40n, 18, 18, '10000000000000000000000'],
])('%i with %i decimals, %i of them shown, is %s', (value, decimals, shown, text) => {
  expect(decimalText(value, decimals, shown)).toBe(text)
})

test.each([
  [0n, 1n, '0'],
  [1n, 10n, '0.1'],
  [99_999n, 1_000_000n, '0.099999'],
  [2n, 3n, '0.666666666666666666'],
  [2n, 30n, '0.0666666666666666666'],
  [10n ** 20n + 1n, 10n ** 40n, '0.00000000000000000001'],
  [10n ** 17n + 1n, 10n ** 40n, '0.0000000000000000000000100000000000000001'],
  [1n, SCALE, `0.${'0'.repeat(71)}1`],
])('the price %i / %i is %s', (numerator, denominator, text) => {
  expect(priceDigits(numerator, denominator)).toBe(text)
})

test('orders decimal texts by their value', () => {
  const ascending = ['0', '0.00000000000000000001', '0.0001', '0.1', '0.9', '1', '1.05', '9', '10', '10.5']
  const scrambled = [...ascending].sort()
  expect(scrambled).not.toEqual(ascending)
  expect(scrambled.sort(compareDecimals)).toEqual(ascending)
  expect(compareDecimals('1.5', '1.5')).toBe(0)
})

import { expect, test } from 'vitest'
import { compareDecimals, decimalText, priceDigits, SCALE } from './decimal.ts'

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

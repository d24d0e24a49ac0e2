import { expect, test } from 'vitest'
import { Q96 } from '../amm/full-math.ts'
import { percentMoved, priceText, scaledInversePrice } from './price.ts'

const decimals = (count: number) => ({ decimals: count })

test.each([
  [Q96, 6, 6, '1'],
  [2n * Q96, 6, 6, '4'],
  [Q96 / 2n, 6, 6, '0.25'],
  [Q96, 18, 6, '1000000000000'],
  [Q96, 6, 18, '0.000000000001'],
  // √2 as Q64.96, cut off: its square falls short of 2 in the 29th digit only.
  [112045541949572279837463876454n, 6, 6, '1.999999999999999999'],
])('the square-root price %i with %i and %i decimals is %s', (sqrtPriceX96, decimals0, decimals1, text) => {
  expect(priceText(sqrtPriceX96, decimals(decimals0), decimals(decimals1))).toBe(text)
})

test('the inverse is worked out by itself', () => {
  expect(scaledInversePrice(2n * Q96, decimals(6), decimals(6))).toBe(10n ** 36n / 4n)
})

test.each([
  [Q96, 2n * Q96, 3_000_000n],
  [2n * Q96, Q96, -750_000n],
  [Q96, Q96, 0n],
])('from %i to %i the price moves by %i ten-thousandths of a percent', (from, to, moved) => {
  expect(percentMoved(from, to)).toBe(moved)
})

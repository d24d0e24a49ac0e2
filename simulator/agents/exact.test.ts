import { expect, test } from 'vitest'
import { Q96 } from '../amm/full-math.ts'
import { scaledBy, toBaseUnits, toSqrtPriceX96, toUnits } from './exact.ts'

test.each([
  [1, 6, 1_000_000n],
  [123.456789, 6, 123_500_000n],
  [0.000123456, 6, 123n],
  [1e-9, 6, 0n],
  [98765.4321, 0, 98_770n],
  [2.5, 18, 2_500_000_000_000_000_000n],
])('%d whole tokens with %i decimals are %i', (wholeTokens, decimals, amount) => {
  expect(toBaseUnits(wholeTokens, decimals)).toBe(amount)
})

test.each([
  [1_000_000n, 0.5, 500_000n],
  [7n, 123_456, 864_500n],
  [1n << 96n, 1e-40, 0n],
])('%i times %d is %i', (amount, ratio, scaled) => {
  expect(scaledBy(amount, ratio)).toBe(scaled)
})

test.each([
  [12_345.6, 12_350n],
  [0.4, 0n],
  [0, 0n],
  [-3, 0n],
  [Number.NaN, 0n],
  [3e38, 3n * 10n ** 38n],
])('%d base units are about %i', (value, units) => {
  expect(toUnits(value)).toBe(units)
})

test('more digits on request', () => {
  expect(scaledBy(10n ** 12n, 0.987654321, 9)).toBe(987_654_321_000n)
  expect(scaledBy(10n ** 12n, 0.987654321)).toBe(987_700_000_000n)
})

test('a price is the ratio of dollars, scaled by the decimals', () => {
  const at = (priceUsd: number, decimals: number) => ({ priceUsd, decimals })
  expect(toSqrtPriceX96(at(1, 6), at(1, 6))).toBe(Q96)
  expect(toSqrtPriceX96(at(4, 6), at(1, 6))).toBe(2n * Q96)
  expect(toSqrtPriceX96(at(1, 6), at(4, 6))).toBe(Q96 / 2n)
  expect(toSqrtPriceX96(at(1, 6), at(1, 18))).toBe(1_000_000n * Q96)
})

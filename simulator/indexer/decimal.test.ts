import { expect, test } from 'vitest'
import { decimalText } from './decimal.ts'

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

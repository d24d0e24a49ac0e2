import fc from 'fast-check'
import { expect, test } from 'vitest'
import { integerSqrt } from './integer-sqrt.ts'

test('is the greatest integer whose square fits', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 1n << 600n }), (value) => {
      const root = integerSqrt(value)
      expect(root * root <= value && value < (root + 1n) * (root + 1n)).toBe(true)
    }),
    { seed: 1, numRuns: 300 },
  )
})

test.each([0n, 1n, 2n, 3n, 4n, 15n, 16n, 17n])('holds for the small value %i', (value) => {
  expect(integerSqrt(value)).toBe(BigInt(Math.floor(Math.sqrt(Number(value)))))
})

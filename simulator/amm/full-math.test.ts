import fc from 'fast-check'
import { expect, test } from 'vitest'
import { divide, integerSqrt, mulDiv, mulShift, UINT256_MAX, wrap256 } from './full-math.ts'

const uint256 = fc.bigInt({ min: 0n, max: UINT256_MAX })

test.each([
  [7n, 3n, 'down', 2n],
  [7n, 3n, 'up', 3n],
  [6n, 3n, 'down', 2n],
  [6n, 3n, 'up', 2n],
  [0n, 3n, 'up', 0n],
] as const)('%i / %i rounded %s is %i', (numerator, denominator, rounding, quotient) => {
  expect(divide(numerator, denominator, rounding)).toBe(quotient)
})

test('multiplies beyond 256 bits before it divides', () => {
  expect(mulDiv(UINT256_MAX, UINT256_MAX, UINT256_MAX, 'down')).toBe(UINT256_MAX)
})

test('refuses a result above 256 bits, even if only rounding exceeds them', () => {
  expect(() => mulDiv(UINT256_MAX, 2n, 1n, 'down')).toThrow('overflow: the result does not fit')
  // (2^256 - 1)(2^256 + 1) / 2^256 is just below 2^256: a case of v3-core's FullMath tests.
  expect(mulDiv(UINT256_MAX, UINT256_MAX + 2n, UINT256_MAX + 1n, 'down')).toBe(UINT256_MAX)
  expect(() => mulDiv(UINT256_MAX, UINT256_MAX + 2n, UINT256_MAX + 1n, 'up')).toThrow('overflow')
})

test('rounded down and up enclose the exact quotient', () => {
  fc.assert(
    fc.property(uint256, uint256, fc.bigInt({ min: 1n, max: UINT256_MAX }), (a, b, denominator) => {
      fc.pre(a * b <= UINT256_MAX * denominator)
      const down = mulDiv(a, b, denominator, 'down')
      const up = mulDiv(a, b, denominator, 'up')
      expect(down * denominator <= a * b && a * b <= up * denominator).toBe(true)
      expect(up - down).toBe((a * b) % denominator === 0n ? 0n : 1n)
    }),
  )
})

test('a shift equals the division by a power of two, errors included', () => {
  const anyRounding = fc.constantFrom('down' as const, 'up' as const)
  fc.assert(
    fc.property(uint256, uint256, fc.constantFrom(96n, 128n), anyRounding, (a, b, bits, rounding) => {
      const [low, high] = [a >> 64n, b >> bits]
      expect(mulShift(low, high, bits, rounding)).toBe(mulDiv(low, high, 1n << bits, rounding))
    }),
  )
  expect(mulShift(UINT256_MAX, 1n << 128n, 128n, 'up')).toBe(UINT256_MAX)
  expect(() => mulShift(UINT256_MAX, (1n << 128n) + 1n, 128n, 'down')).toThrow('overflow')
  expect(mulShift(3n, 1n, 1n, 'up')).toBe(2n)
})

test('wraps at 256 bits in both directions', () => {
  expect([wrap256(-1n), wrap256(UINT256_MAX + 1n), wrap256(5n)]).toEqual([UINT256_MAX, 0n, 5n])
})

test('is the greatest integer whose square fits', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 1n << 600n }), (value) => {
      const root = integerSqrt(value)
      expect(root * root <= value && value < (root + 1n) * (root + 1n)).toBe(true)
    }),
  )
})

test.each([0n, 1n, 2n, 3n, 4n, 15n, 16n, 17n])('holds for the small value %i', (value) => {
  expect(integerSqrt(value)).toBe(BigInt(Math.floor(Math.sqrt(Number(value)))))
})

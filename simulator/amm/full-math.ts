import { AmmError } from './amm-error.ts'

export type Rounding = 'down' | 'up'

export const Q96 = 1n << 96n
export const Q128 = 1n << 128n
export const INT128_MAX = (1n << 127n) - 1n
export const UINT128_MAX = (1n << 128n) - 1n
export const UINT160_MAX = (1n << 160n) - 1n
export const INT256_MAX = (1n << 255n) - 1n
export const INT256_MIN = -(1n << 255n)
export const UINT256_MAX = (1n << 256n) - 1n

/** a × b ÷ denominator with an unbounded product (FullMath.mulDiv). Throws overflow for a result above 256 bits. */
export function mulDiv(a: bigint, b: bigint, denominator: bigint, rounding: Rounding): bigint {
  const quotient = divide(a * b, denominator, rounding)
  if (quotient > UINT256_MAX) throw new AmmError('overflow')
  return quotient
}

/** a × b ÷ 2^bits for nonnegative values. Takes half the time of mulDiv: a shift is not a division. */
export function mulShift(a: bigint, b: bigint, bits: bigint, rounding: Rounding): bigint {
  const product = a * b
  const quotient = rounding === 'up' ? -(-product >> bits) : product >> bits
  if (quotient > UINT256_MAX) throw new AmmError('overflow')
  return quotient
}

/** a × 2^bits ÷ denominator: mulDiv with a shift as its product. */
export function shiftDiv(a: bigint, bits: bigint, denominator: bigint, rounding: Rounding): bigint {
  const quotient = divide(a << bits, denominator, rounding)
  if (quotient > UINT256_MAX) throw new AmmError('overflow')
  return quotient
}

/** numerator ÷ denominator for nonnegative values (UnsafeMath.divRoundingUp and its counterpart). */
export function divide(numerator: bigint, denominator: bigint, rounding: Rounding): bigint {
  if (rounding === 'down' || numerator === 0n) return numerator / denominator
  return (numerator - 1n) / denominator + 1n
}

/** Fee growth is a counter that wraps at 256 bits: only differences are meaningful. */
export function wrap256(value: bigint): bigint {
  return value >= 0n && value <= UINT256_MAX ? value : BigInt.asUintN(256, value)
}

/** Fees owed wrap at 128 bits, as in the contracts. */
export function wrap128(value: bigint): bigint {
  return value >= 0n && value <= UINT128_MAX ? value : BigInt.asUintN(128, value)
}

/** Floor of the square root (Newton's method from above). */
export function integerSqrt(value: bigint): bigint {
  if (value < 2n) return value
  let guess = 1n << BigInt((value.toString(2).length + 1) >> 1)
  for (;;) {
    const next = (guess + value / guess) >> 1n
    if (next >= guess) return guess
    guess = next
  }
}

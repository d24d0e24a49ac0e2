import { AmmError } from './amm-error.ts'
import { integerSqrt, Q128, UINT256_MAX } from './full-math.ts'

/** Bounds of TickMath: ticks whose price, 1.0001^tick, is within 2^-128 to 2^128. */
export const TICK_MAX = 887272
export const TICK_MIN = -TICK_MAX
export const SQRT_PRICE_X96_MIN = 4295128739n
export const SQRT_PRICE_X96_MAX = 1461446703485210103287273052203988822378723970342n

/**
 * √(1.0001^tick) as Q64.96, identical to TickMath.getSqrtRatioAtTick: whitepaper (6.1) with the contract's rounding. The power is
 * a product of factors √(1.0001^-2^i), each rounded to the nearest 2^-128, every product truncated; a positive tick takes the
 * reciprocal; the conversion from 128 to 96 fractional bits rounds up.
 */
export function sqrtPriceX96AtTick(tick: number): bigint {
  const known = memo.get(tick)
  if (known !== undefined) return known
  const sqrtPriceX96 = computeSqrtPriceX96(tick)
  if (memo.size >= MEMO_SIZE_MAX) memo.clear()
  memo.set(tick, sqrtPriceX96)
  return sqrtPriceX96
}

/** Returns the greatest tick whose price is at most the given one (TickMath.getTickAtSqrtRatio). */
export function tickAtSqrtPriceX96(sqrtPriceX96: bigint): number {
  if (sqrtPriceX96 < SQRT_PRICE_X96_MIN || sqrtPriceX96 >= SQRT_PRICE_X96_MAX) throw new AmmError('R')
  const estimate = (2 * Math.log(Number(sqrtPriceX96) / 2 ** 96)) / LN_TICK_BASE
  let tick = clampTick(Math.floor(estimate))
  const above = estimate - tick
  if (above > ESTIMATE_ERROR_MAX && above < 1 - ESTIMATE_ERROR_MAX) return tick
  // Near a tick's price, integer comparisons on both sides decide.
  while (sqrtPriceX96AtTick(tick) > sqrtPriceX96) tick--
  while (tick < TICK_MAX && sqrtPriceX96AtTick(tick + 1) <= sqrtPriceX96) tick++
  return tick
}

const LN_TICK_BASE = Math.log(1.0001)

/** More than 100 times the error: the lowest prices are rounded by 5e-6 ticks, floats by less than 1e-8. */
const ESTIMATE_ERROR_MAX = 1e-3

/** A cache of constants. Bounded: swaps use few ticks, but worlds run long. */
const MEMO_SIZE_MAX = 1 << 16
const memo = new Map<number, bigint>()

function computeSqrtPriceX96(tick: number): bigint {
  if (!(tick >= TICK_MIN && tick <= TICK_MAX)) throw new AmmError('T')
  let powerX128 = Q128
  let bits = Math.abs(tick)
  for (const factorX128 of FACTORS_X128) {
    if (bits & 1) powerX128 = (powerX128 * factorX128) >> 128n
    bits >>= 1
  }
  if (tick > 0) powerX128 = UINT256_MAX / powerX128
  return -(-powerX128 >> 32n)
}

function clampTick(tick: number): number {
  return Math.min(TICK_MAX, Math.max(TICK_MIN, tick))
}

/** √(1.0001^-2^i) as Q128 for i = 0 to 19, computed with 272 extra bits, then rounded to nearest. */
const FACTORS_X128 = factorsX128()

function factorsX128(): readonly bigint[] {
  const extraBits = 272n
  const precisionBits = 128n + extraBits
  let power = integerSqrt((10000n << (2n * precisionBits)) / 10001n)
  return Array.from({ length: 20 }, () => {
    const rounded = (power + (1n << (extraBits - 1n))) >> extraBits
    power = (power * power) >> precisionBits
    return rounded
  })
}

/** Throws AmmError for ticks in the wrong order (TLU) or out of bounds (TLM, TUM): UniswapV3Pool.checkTicks. */
export function requireTicks({ tickLower, tickUpper }: { tickLower: number; tickUpper: number }): void {
  if (tickLower >= tickUpper) throw new AmmError('TLU')
  if (tickLower < TICK_MIN) throw new AmmError('TLM')
  if (tickUpper > TICK_MAX) throw new AmmError('TUM')
}

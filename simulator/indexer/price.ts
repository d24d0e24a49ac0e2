import { PERCENT_DECIMALS, powerOf10, priceDigits, SCALE } from './decimal.ts'

type Decimals = { decimals: number }
type Fraction = { numerator: bigint; denominator: bigint }

/** Whole token1 for a whole token0, scaled. */
export function scaledPrice(sqrtPriceX96: bigint, token0: Decimals, token1: Decimals): bigint {
  return scaled(exactPrice(sqrtPriceX96, token0, token1))
}

/** Whole token0 for a whole token1, scaled. Worked out by itself: the inverse of a rounded price is not exact. */
export function scaledInversePrice(sqrtPriceX96: bigint, token0: Decimals, token1: Decimals): bigint {
  const { numerator, denominator } = exactPrice(sqrtPriceX96, token0, token1)
  return scaled({ numerator: denominator, denominator: numerator })
}

/** Whole token1 for a whole token0, as decimal text. */
export function priceText(sqrtPriceX96: bigint, token0: Decimals, token1: Decimals): string {
  const { numerator, denominator } = exactPrice(sqrtPriceX96, token0, token1)
  return priceDigits(numerator, denominator)
}

/** So many base units of token1 for so many of token0, as the decimal text of a price. */
export function ratioText(ratio: Fraction, token0: Decimals, token1: Decimals): string {
  const { numerator, denominator } = inWholeTokens(ratio, token0, token1)
  return priceDigits(numerator, denominator)
}

/** By how many percent the price moved, scaled by 10^PERCENT_DECIMALS, cut off towards zero. */
export function percentMoved(fromSqrtPriceX96: bigint, toSqrtPriceX96: bigint): bigint {
  const from = fromSqrtPriceX96 * fromSqrtPriceX96
  const to = toSqrtPriceX96 * toSqrtPriceX96
  return ((to - from) * 100n * powerOf10(PERCENT_DECIMALS)) / from
}

/** Whole token1 for a whole token0: P = (√P)², whitepaper 6.1, moved by the difference of decimals. */
function exactPrice(sqrtPriceX96: bigint, token0: Decimals, token1: Decimals): Fraction {
  return inWholeTokens({ numerator: sqrtPriceX96 * sqrtPriceX96, denominator: 1n << 192n }, token0, token1)
}

/** Base units of token1 for those of token0, turned into whole tokens. */
function inWholeTokens({ numerator, denominator }: Fraction, token0: Decimals, token1: Decimals): Fraction {
  const exponent = token0.decimals - token1.decimals
  return exponent >= 0
    ? { numerator: numerator * powerOf10(exponent), denominator }
    : { numerator, denominator: denominator * powerOf10(-exponent) }
}

/** Rounded down. */
function scaled({ numerator, denominator }: Fraction): bigint {
  return (numerator * SCALE) / denominator
}

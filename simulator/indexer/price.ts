import { decimalText, PERCENT_DECIMALS, PRICE_DECIMALS, powerOf10, SCALE_DECIMALS } from './decimal.ts'

type Decimals = { decimals: number }

/** Whole token1 for a whole token0, scaled: P = (√P)², whitepaper 6.1, moved by the difference of decimals. */
export function scaledPrice(sqrtPriceX96: bigint, token0: Decimals, token1: Decimals): bigint {
  return shiftDecimals(
    sqrtPriceX96 * sqrtPriceX96,
    SCALE_DECIMALS + token0.decimals - token1.decimals,
    1n << 192n,
  )
}

/** Whole token0 for a whole token1, scaled. Worked out by itself: the inverse of a rounded price is not exact. */
export function scaledInversePrice(sqrtPriceX96: bigint, token0: Decimals, token1: Decimals): bigint {
  const exponent = SCALE_DECIMALS + token1.decimals - token0.decimals
  return shiftDecimals(1n << 192n, exponent, sqrtPriceX96 * sqrtPriceX96)
}

/** Whole token1 for a whole token0, as decimal text. */
export function priceText(sqrtPriceX96: bigint, token0: Decimals, token1: Decimals): string {
  return decimalText(scaledPrice(sqrtPriceX96, token0, token1), SCALE_DECIMALS, PRICE_DECIMALS)
}

/** By how many percent the price moved, scaled by 10^PERCENT_DECIMALS, cut off towards zero. */
export function percentMoved(fromSqrtPriceX96: bigint, toSqrtPriceX96: bigint): bigint {
  const from = fromSqrtPriceX96 * fromSqrtPriceX96
  const to = toSqrtPriceX96 * toSqrtPriceX96
  return ((to - from) * 100n * powerOf10(PERCENT_DECIMALS)) / from
}

/** numerator × 10^exponent ÷ denominator, rounded down. */
function shiftDecimals(numerator: bigint, exponent: number, denominator: bigint): bigint {
  return exponent >= 0
    ? (numerator * powerOf10(exponent)) / denominator
    : numerator / (denominator * powerOf10(-exponent))
}

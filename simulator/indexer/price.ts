type Decimals = { decimals: number }
type Fraction = { numerator: bigint; denominator: bigint }

/** Token1 per token0, in whole tokens, scaled. */
export function scaledPrice(sqrtPriceX96: bigint, token0: Decimals, token1: Decimals): bigint {
  return scaled(exactPrice(sqrtPriceX96, token0, token1))
}

/**
 * Token0 per token1, in whole tokens, scaled. Computed separately, since the inverse of a rounded price is not exact.
 */
export function scaledInversePrice(sqrtPriceX96: bigint, token0: Decimals, token1: Decimals): bigint {
  const { numerator, denominator } = exactPrice(sqrtPriceX96, token0, token1)
  return scaled({ numerator: denominator, denominator: numerator })
}

export function priceText(sqrtPriceX96: bigint, token0: Decimals, token1: Decimals): string {
  const { numerator, denominator } = exactPrice(sqrtPriceX96, token0, token1)
  return priceDigits(numerator, denominator)
}

/** A ratio of base units (token1 to token0) as the decimal text of a price. */
export function ratioText(ratio: Fraction, token0: Decimals, token1: Decimals): string {
  const { numerator, denominator } = inWholeTokens(ratio, token0, token1)
  return priceDigits(numerator, denominator)
}

/** Price change in percent, scaled by 10^PERCENT_DECIMALS, truncated towards zero. */
export function percentMoved(fromSqrtPriceX96: bigint, toSqrtPriceX96: bigint): bigint {
  const from = fromSqrtPriceX96 * fromSqrtPriceX96
  const to = toSqrtPriceX96 * toSqrtPriceX96
  return ((to - from) * 100n * powerOf10(PERCENT_DECIMALS)) / from
}

/** Token1 per token0, in whole tokens: P = (√P)² (whitepaper 6.1), shifted by the difference in decimals. */
function exactPrice(sqrtPriceX96: bigint, token0: Decimals, token1: Decimals): Fraction {
  return inWholeTokens({ numerator: sqrtPriceX96 * sqrtPriceX96, denominator: 1n << 192n }, token0, token1)
}

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

/**
 * Fractional digits of figures for readers; further ones are truncated, and trailing zeros are removed. Small prices
 * have at least this many significant digits.
 */
const PRICE_DIGITS = 18
export const DOLLAR_DECIMALS = 6
export const PERCENT_DECIMALS = 4

/** Scale of prices in the indexer: prices derived from other prices keep more digits than readers see. */
export const SCALE_DECIMALS = 72
export const SCALE = 10n ** 72n

/** An integer scaled by 10^decimals as decimal text with at most `shown` fractional digits, truncated. */
export function decimalText(value: bigint, decimals: number, shown: number): string {
  const cut = value / powerOf10(decimals - shown)
  const digits = (cut < 0n ? -cut : cut).toString().padStart(shown + 1, '0')
  const whole = digits.slice(0, digits.length - shown)
  const fraction = digits.slice(digits.length - shown).replace(/0+$/, '')
  return `${cut < 0n ? '-' : ''}${whole}${fraction === '' ? '' : `.${fraction}`}`
}

/** 10^exponent; exponents of token decimals are cached. */
export function powerOf10(exponent: number): bigint {
  return POWERS[exponent] ?? 10n ** BigInt(exponent)
}

const POWERS = Array.from({ length: 100 }, (_, exponent) => 10n ** BigInt(exponent))

/**
 * The decimal text of a price from a fraction that is not negative: truncated as for PRICE_DIGITS, never with an
 * exponent.
 */
export function priceDigits(numerator: bigint, denominator: bigint): string {
  const decimals = priceDecimals(numerator, denominator)
  return decimalText((numerator * powerOf10(decimals)) / denominator, decimals, decimals)
}

function priceDecimals(numerator: bigint, denominator: bigint): number {
  if (numerator === 0n || numerator * 10n >= denominator) return PRICE_DIGITS
  // Position of the first digit that is not zero, plus or minus one.
  const place = String(denominator).length - String(numerator).length
  const isFirst = numerator * powerOf10(place) >= denominator
  return place + (isFirst ? 0 : 1) + PRICE_DIGITS - 1
}

/** Compares decimal texts that are not negative, exactly for any number of digits. */
export function compareDecimals(a: string, b: string): number {
  const [wholeA = '', fractionA = ''] = a.split('.')
  const [wholeB = '', fractionB = ''] = b.split('.')
  if (wholeA.length !== wholeB.length) return wholeA.length - wholeB.length
  if (wholeA !== wholeB) return wholeA < wholeB ? -1 : 1
  if (fractionA === fractionB) return 0
  return fractionA < fractionB ? -1 : 1
}

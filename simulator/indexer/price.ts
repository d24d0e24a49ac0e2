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

/**
 * Fractional digits of the figures that readers get; what lies beyond is cut off, trailing zeros are left out. Prices have
 * more where they are small: as many significant digits at least.
 */
const PRICE_DIGITS = 18
export const DOLLAR_DECIMALS = 6
export const PERCENT_DECIMALS = 4

/** Within the indexer a price is an integer, scaled so that chains of prices keep more digits than readers see. */
export const SCALE_DECIMALS = 72
export const SCALE = 10n ** 72n

/** An integer scaled by 10^decimals as decimal text with at most `shown` fractional digits: exact, or cut off. */
export function decimalText(value: bigint, decimals: number, shown: number): string {
  const cut = value / powerOf10(decimals - shown)
  const digits = (cut < 0n ? -cut : cut).toString().padStart(shown + 1, '0')
  const whole = digits.slice(0, digits.length - shown)
  const fraction = digits.slice(digits.length - shown).replace(/0+$/, '')
  return `${cut < 0n ? '-' : ''}${whole}${fraction === '' ? '' : `.${fraction}`}`
}

/** 10^exponent, up to any exponent: those that decimals of tokens ask for are worked out once. */
export function powerOf10(exponent: number): bigint {
  return POWERS[exponent] ?? 10n ** BigInt(exponent)
}

const POWERS = Array.from({ length: 100 }, (_, exponent) => 10n ** BigInt(exponent))

/** A fraction that is not negative as the decimal text of a price: cut off as PRICE_DIGITS says, never with an exponent. */
export function priceDigits(numerator: bigint, denominator: bigint): string {
  const decimals = priceDecimals(numerator, denominator)
  return decimalText((numerator * powerOf10(decimals)) / denominator, decimals, decimals)
}

function priceDecimals(numerator: bigint, denominator: bigint): number {
  if (numerator === 0n || numerator * 10n >= denominator) return PRICE_DIGITS
  // So much below 1 that, with a digit more or less, the first one that is not zero comes at this place.
  const place = String(denominator).length - String(numerator).length
  const isFirst = numerator * powerOf10(place) >= denominator
  return place + (isFirst ? 0 : 1) + PRICE_DIGITS - 1
}

/** The order of decimal texts that are not negative: exact, however many digits they have. */
export function compareDecimals(a: string, b: string): number {
  const [wholeA = '', fractionA = ''] = a.split('.')
  const [wholeB = '', fractionB = ''] = b.split('.')
  if (wholeA.length !== wholeB.length) return wholeA.length - wholeB.length
  if (wholeA !== wholeB) return wholeA < wholeB ? -1 : 1
  if (fractionA === fractionB) return 0
  return fractionA < fractionB ? -1 : 1
}

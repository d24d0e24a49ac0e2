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

import { integerSqrt } from '../amm/integer-sqrt.ts'

/** From an agent's rough wish to exact figures: a float goes no further than this file. */
const AMOUNT_DIGITS = 4
const PRICE_DIGITS = 6

/** Base units for about that many whole tokens, as people trade: four significant digits, the rest zeros. */
export function toBaseUnits(wholeTokens: number, decimals: number): bigint {
  const { digits, exponent } = toDecimal(wholeTokens, AMOUNT_DIGITS)
  const shift = exponent + decimals
  return shift >= 0 ? digits * 10n ** BigInt(shift) : digits / 10n ** BigInt(-shift)
}

/** About `ratio` times the amount, by four significant digits. */
export function scaledBy(amount: bigint, ratio: number): bigint {
  const { digits, exponent } = toDecimal(ratio, AMOUNT_DIGITS)
  return exponent >= 0
    ? amount * digits * 10n ** BigInt(exponent)
    : (amount * digits) / 10n ** BigInt(-exponent)
}

/** √(token1 per token0, in base units) as Q64.96, for whole-token prices in dollars; the ratio has six digits. */
export function toSqrtPriceX96(
  token0: { priceUsd: number; decimals: number },
  token1: { priceUsd: number; decimals: number },
): bigint {
  const { digits, exponent } = toDecimal(token0.priceUsd / token1.priceUsd, PRICE_DIGITS)
  const shift = exponent + token1.decimals - token0.decimals
  const scaledX192 = digits << 192n
  return integerSqrt(shift >= 0 ? scaledX192 * 10n ** BigInt(shift) : scaledX192 / 10n ** BigInt(-shift))
}

/** A positive float as digits × 10^exponent; few digits, so that the last bits of a float decide nothing. */
function toDecimal(value: number, significantDigits: number): { digits: bigint; exponent: number } {
  const [mantissa = '0', exponent = '0'] = value.toExponential(significantDigits - 1).split('e')
  return { digits: BigInt(mantissa.replace('.', '')), exponent: Number(exponent) - (significantDigits - 1) }
}

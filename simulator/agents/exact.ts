import { integerSqrt } from '../amm/full-math.ts'

/** Converts agents' float estimates to exact amounts: no float leaves this file. */
const AMOUNT_DIGITS = 4
const PRICE_DIGITS = 6
const POWERS = Array.from({ length: 120 }, (_, exponent) => 10n ** BigInt(exponent))
const FLOAT_POWERS = new Map(
  Array.from({ length: 600 }, (_, place): [number, number] => [place - 300, Number(`1e${place - 300}`)]),
)

/** Rounds to four significant digits, as people trade. */
export function toBaseUnits(wholeTokens: number, decimals: number): bigint {
  const { digits, exponent } = toDecimal(wholeTokens, AMOUNT_DIGITS)
  const shift = exponent + decimals
  return shift >= 0 ? digits * power(shift) : digits / power(-shift)
}

export function scaledBy(amount: bigint, ratio: number, significantDigits = AMOUNT_DIGITS): bigint {
  const { digits, exponent } = toDecimal(ratio, significantDigits)
  return exponent >= 0 ? amount * digits * power(exponent) : (amount * digits) / power(-exponent)
}

/** Rounds to four significant digits. */
export function toUnits(value: number): bigint {
  return toBaseUnits(value, 0)
}

/** √(token1 per token0, in base units) as Q64.96, from whole-token prices in dollars; the ratio has six significant digits. */
export function toSqrtPriceX96(
  token0: { priceUsd: number; decimals: number },
  token1: { priceUsd: number; decimals: number },
): bigint {
  const { digits, exponent } = toDecimal(token0.priceUsd / token1.priceUsd, PRICE_DIGITS)
  const shift = exponent + token1.decimals - token0.decimals
  const scaledX192 = digits << 192n
  return integerSqrt(shift >= 0 ? scaledX192 * power(shift) : scaledX192 / power(-shift))
}

/** Splits a positive float into digits × 10^exponent. Few digits, so that the float's last bits have no effect. */
function toDecimal(value: number, significantDigits: number): { digits: bigint; exponent: number } {
  if (!(value > 0)) return { digits: 0n, exponent: 0 }
  const exponent = Math.floor(Math.log10(value)) - (significantDigits - 1)
  return { digits: BigInt(Math.round(value / floatPower(exponent))), exponent }
}

function power(exponent: number): bigint {
  return POWERS[exponent] ?? 10n ** BigInt(exponent)
}

function floatPower(exponent: number): number {
  return FLOAT_POWERS.get(exponent) ?? 10 ** exponent
}

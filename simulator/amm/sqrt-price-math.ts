import { AmmError } from './amm-error.ts'
import { divide, mulDiv, mulShift, type Rounding, shiftDiv, UINT160_MAX, UINT256_MAX } from './full-math.ts'

/** token0 between two prices in any order, L × (1/√a − 1/√b): whitepaper (6.16), SqrtPriceMath.getAmount0Delta. Nonnegative. */
export function amount0Delta(
  sqrtPriceAX96: bigint,
  sqrtPriceBX96: bigint,
  liquidity: bigint,
  rounding: Rounding,
): bigint {
  const [lower, upper] =
    sqrtPriceAX96 < sqrtPriceBX96 ? [sqrtPriceAX96, sqrtPriceBX96] : [sqrtPriceBX96, sqrtPriceAX96]
  if (lower <= 0n) throw new AmmError('overflow')
  // The contract divides twice, by upper and then lower; one division by their product rounds to the same integer.
  return divide((liquidity * (upper - lower)) << 96n, upper * lower, rounding)
}

/** token1 between two prices, L × (√b − √a): whitepaper (6.14), SqrtPriceMath.getAmount1Delta. Nonnegative. */
export function amount1Delta(
  sqrtPriceAX96: bigint,
  sqrtPriceBX96: bigint,
  liquidity: bigint,
  rounding: Rounding,
): bigint {
  const distance =
    sqrtPriceAX96 < sqrtPriceBX96 ? sqrtPriceBX96 - sqrtPriceAX96 : sqrtPriceAX96 - sqrtPriceBX96
  return mulShift(liquidity, distance, 96n, rounding)
}

export type PriceMove = { sqrtPriceX96: bigint; liquidity: bigint; amount: bigint; zeroForOne: boolean }

/** Price after an input of `amount`, rounded against the trader (SqrtPriceMath.getNextSqrtPriceFromInput). */
export function nextSqrtPriceFromInput({ sqrtPriceX96, liquidity, amount, zeroForOne }: PriceMove): bigint {
  requirePriceAndLiquidity(sqrtPriceX96, liquidity)
  return zeroForOne
    ? priceAfterAmount0In(sqrtPriceX96, liquidity, amount)
    : priceAfterAmount1In(sqrtPriceX96, liquidity, amount)
}

/** Price after an output of `amount` (SqrtPriceMath.getNextSqrtPriceFromOutput). Throws overflow if the pool has less. */
export function nextSqrtPriceFromOutput({ sqrtPriceX96, liquidity, amount, zeroForOne }: PriceMove): bigint {
  requirePriceAndLiquidity(sqrtPriceX96, liquidity)
  return zeroForOne
    ? priceAfterAmount1Out(sqrtPriceX96, liquidity, amount)
    : priceAfterAmount0Out(sqrtPriceX96, liquidity, amount)
}

function requirePriceAndLiquidity(sqrtPriceX96: bigint, liquidity: bigint): void {
  if (sqrtPriceX96 <= 0n || liquidity <= 0n) throw new AmmError('overflow')
}

/**
 * L√P / (L + Δx√P), rounded up: whitepaper (6.15), getNextSqrtPriceFromAmount0RoundingUp with add. If the denominator exceeds 256
 * bits, uses the less precise L / (L/√P + Δx), as the contract does.
 */
function priceAfterAmount0In(sqrtPriceX96: bigint, liquidity: bigint, amount: bigint): bigint {
  if (amount === 0n) return sqrtPriceX96
  const liquidityX96 = liquidity << 96n
  const denominator = liquidityX96 + amount * sqrtPriceX96
  return denominator <= UINT256_MAX
    ? mulDiv(liquidityX96, sqrtPriceX96, denominator, 'up')
    : divide(liquidityX96, liquidityX96 / sqrtPriceX96 + amount, 'up')
}

/** L√P / (L − Δx√P), rounded up. */
function priceAfterAmount0Out(sqrtPriceX96: bigint, liquidity: bigint, amount: bigint): bigint {
  if (amount === 0n) return sqrtPriceX96
  const liquidityX96 = liquidity << 96n
  const product = amount * sqrtPriceX96
  if (product > UINT256_MAX || liquidityX96 <= product) throw new AmmError('overflow')
  return fitPrice(mulDiv(liquidityX96, sqrtPriceX96, liquidityX96 - product, 'up'))
}

/** √P + Δy/L, rounded down: whitepaper (6.13), getNextSqrtPriceFromAmount1RoundingDown with add. */
function priceAfterAmount1In(sqrtPriceX96: bigint, liquidity: bigint, amount: bigint): bigint {
  return fitPrice(sqrtPriceX96 + shiftDiv(amount, 96n, liquidity, 'down'))
}

/** √P − Δy/L, rounded down: rounds the quotient up. */
function priceAfterAmount1Out(sqrtPriceX96: bigint, liquidity: bigint, amount: bigint): bigint {
  const quotient = shiftDiv(amount, 96n, liquidity, 'up')
  if (sqrtPriceX96 <= quotient) throw new AmmError('overflow')
  return sqrtPriceX96 - quotient
}

function fitPrice(sqrtPriceX96: bigint): bigint {
  if (sqrtPriceX96 > UINT160_MAX) throw new AmmError('overflow')
  return sqrtPriceX96
}

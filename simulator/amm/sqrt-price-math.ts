import { AmmError } from './amm-error.ts'
import { divide, mulDiv, mulShift, Q96, type Rounding, UINT160_MAX, UINT256_MAX } from './full-math.ts'

/**
 * token0 between two prices, L × (1/√a − 1/√b): whitepaper (6.16), SqrtPriceMath.getAmount0Delta. The order of the two
 * prices does not matter; the result is not negative.
 */
export function amount0Delta(
  sqrtPriceAX96: bigint,
  sqrtPriceBX96: bigint,
  liquidity: bigint,
  rounding: Rounding,
): bigint {
  const [lower, upper] =
    sqrtPriceAX96 < sqrtPriceBX96 ? [sqrtPriceAX96, sqrtPriceBX96] : [sqrtPriceBX96, sqrtPriceAX96]
  if (lower <= 0n) throw new AmmError('overflow')
  // Two divisions, as in the contract: both round, and the second rounds the first one's result.
  return divide(mulDiv(liquidity << 96n, upper - lower, upper, rounding), lower, rounding)
}

/** token1 between two prices, L × (√b − √a): whitepaper (6.14), SqrtPriceMath.getAmount1Delta. Not negative. */
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

/** The price after `amount` came in, rounded against the trader (SqrtPriceMath.getNextSqrtPriceFromInput). */
export function nextSqrtPriceFromInput({ sqrtPriceX96, liquidity, amount, zeroForOne }: PriceMove): bigint {
  requirePriceAndLiquidity(sqrtPriceX96, liquidity)
  return zeroForOne
    ? priceAfterAmount0In(sqrtPriceX96, liquidity, amount)
    : priceAfterAmount1In(sqrtPriceX96, liquidity, amount)
}

/** The price after `amount` went out (SqrtPriceMath.getNextSqrtPriceFromOutput). Overflow: the pool has less than that. */
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
 * L√P / (L + Δx√P), rounded up: whitepaper (6.15), getNextSqrtPriceFromAmount0RoundingUp with add. Where the
 * denominator would pass 256 bits the contract falls back to L / (L/√P + Δx), which loses precision: so does this.
 */
function priceAfterAmount0In(sqrtPriceX96: bigint, liquidity: bigint, amount: bigint): bigint {
  if (amount === 0n) return sqrtPriceX96
  const liquidityX96 = liquidity << 96n
  const denominator = liquidityX96 + amount * sqrtPriceX96
  return denominator <= UINT256_MAX
    ? mulDiv(liquidityX96, sqrtPriceX96, denominator, 'up')
    : divide(liquidityX96, liquidityX96 / sqrtPriceX96 + amount, 'up')
}

/** L√P / (L − Δx√P), rounded up: the same formula with the amount taken away. */
function priceAfterAmount0Out(sqrtPriceX96: bigint, liquidity: bigint, amount: bigint): bigint {
  if (amount === 0n) return sqrtPriceX96
  const liquidityX96 = liquidity << 96n
  const product = amount * sqrtPriceX96
  if (product > UINT256_MAX || liquidityX96 <= product) throw new AmmError('overflow')
  return fitPrice(mulDiv(liquidityX96, sqrtPriceX96, liquidityX96 - product, 'up'))
}

/** √P + Δy/L, rounded down: whitepaper (6.13), getNextSqrtPriceFromAmount1RoundingDown with add. */
function priceAfterAmount1In(sqrtPriceX96: bigint, liquidity: bigint, amount: bigint): bigint {
  return fitPrice(sqrtPriceX96 + mulDiv(amount, Q96, liquidity, 'down'))
}

/** √P − Δy/L, rounded down, which is the quotient rounded up. */
function priceAfterAmount1Out(sqrtPriceX96: bigint, liquidity: bigint, amount: bigint): bigint {
  const quotient = mulDiv(amount, Q96, liquidity, 'up')
  if (sqrtPriceX96 <= quotient) throw new AmmError('overflow')
  return sqrtPriceX96 - quotient
}

function fitPrice(sqrtPriceX96: bigint): bigint {
  if (sqrtPriceX96 > UINT160_MAX) throw new AmmError('overflow')
  return sqrtPriceX96
}

import { AmmError } from '../amm/amm-error.ts'
import { computeSwap } from '../amm/swap.ts'
import type { ChainPool, ChainState } from '../chain/state.ts'
import { scaledBy } from './exact.ts'
import { type Outside, priceUsdOf } from './market.ts'
import { wholePrice } from './pool-price.ts'

/** Digits of the price that a trade goes to: more than a fee of one pip needs. */
const TARGET_DIGITS = 9

export type ClosingTrade = { tokenIn: string; amountIn: bigint }

/** How far the pool’s price is from the outside one beyond its fee, as a logarithm; negative where it pays too little. */
export function gapBeyondFee(state: ChainState, outside: Outside, pool: ChainPool): number {
  const market = priceUsdOf(outside, pool.token0) / priceUsdOf(outside, pool.token1)
  const gap = Math.log(wholePrice(state, pool) / market)
  const fee = -Math.log(1 - pool.amm.feePips / 1e6)
  return Math.sign(gap) * Math.max(0, Math.abs(gap) - fee)
}

/**
 * The trade that takes the gap beyond the fee away, as far as what is held pays for it; undefined where nothing is, or
 * the pool has nothing to give.
 */
export function closingTrade(
  pool: ChainPool,
  gap: number,
  heldOf: (tokenId: string) => bigint,
): ClosingTrade | undefined {
  const zeroForOne = gap > 0
  const tokenIn = zeroForOne ? pool.token0 : pool.token1
  const held = heldOf(tokenIn)
  if (held <= 0n) return undefined
  // The square root of the price moves by half of what its logarithm does.
  const sqrtPriceLimitX96 = scaledBy(pool.amm.sqrtPriceX96, Math.exp(-gap / 2), TARGET_DIGITS)
  const amountIn = amountUntil(pool, { zeroForOne, amountSpecified: held, sqrtPriceLimitX96 })
  return amountIn > 0n ? { tokenIn, amountIn } : undefined
}

/** What the pool takes until its price is there; 0 where it gives nothing for it. */
function amountUntil({ amm }: ChainPool, options: Parameters<typeof computeSwap>[1]): bigint {
  try {
    const { amount0, amount1 } = computeSwap(amm, options)
    const [taken, given] = options.zeroForOne ? [amount0, -amount1] : [amount1, -amount0]
    return given > 0n ? taken : 0n
  } catch (error) {
    if (error instanceof AmmError) return 0n
    throw error
  }
}

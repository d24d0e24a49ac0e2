import { AmmError } from '../amm/amm-error.ts'
import { computeSwap } from '../amm/swap.ts'
import type { ChainPool, ChainState } from '../chain/state.ts'
import { scaledBy } from './exact.ts'
import { type Outside, priceUsdOf } from './market.ts'
import { wholePrice } from './pool-price.ts'

/** Digits of the price that a trade goes to: more than a fee of one pip needs. */
const TARGET_DIGITS = 9

export type ClosingTrade = { tokenIn: string; amountIn: bigint }

/**
 * The trade that moves a pool to the outside price, as far as its fee leaves something to gain; undefined where the gap
 * is not above the fee and `gapMin`, or nothing is held of the token to pay, or the pool has nothing to give.
 */
export function closingTrade(
  state: ChainState,
  outside: Outside,
  pool: ChainPool,
  options: { gapMin: number; heldOf: (tokenId: string) => bigint },
): ClosingTrade | undefined {
  const market = priceUsdOf(outside, pool.token0) / priceUsdOf(outside, pool.token1)
  const gap = Math.log(wholePrice(state, pool) / market)
  const fee = -Math.log(1 - pool.amm.feePips / 1e6)
  const excess = Math.abs(gap) - fee
  if (!(excess > options.gapMin)) return undefined
  const zeroForOne = gap > 0
  const tokenIn = zeroForOne ? pool.token0 : pool.token1
  const held = options.heldOf(tokenIn)
  if (held <= 0n) return undefined
  // The square root of the price moves by half of what its logarithm does.
  const ratio = Math.exp((zeroForOne ? -excess : excess) / 2)
  const sqrtPriceLimitX96 = scaledBy(pool.amm.sqrtPriceX96, ratio, TARGET_DIGITS)
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

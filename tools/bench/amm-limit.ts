import type { Pool } from '../../simulator/amm/pool.ts'
import { FEE_PIPS_WHOLE } from '../../simulator/amm/swap-step.ts'
import { sqrtPriceX96AtTick } from '../../simulator/amm/tick-math.ts'

type ExactInput = { zeroForOne: boolean; amountSpecified: bigint }

/** The state after the swaps, and the amount paid out by the last one. */
type InRangeEnd = { sqrtPriceX96: bigint; growth0X128: bigint; growth1X128: bigint; amountOut: bigint }

/**
 * The least arithmetic on bigints that gives what a swap of exact input changes: fee, new price, both amounts, fee growth. The limit for
 * the AMM, so it has no ticks, observations or objects. Throws if a swap ends outside the two ticks: it would need a second step.
 */
export function swapByArithmetic(
  pool: Pool,
  orders: readonly ExactInput[],
  { tickLower, tickUpper }: { tickLower: number; tickUpper: number },
): InRangeEnd {
  const lowestX96 = sqrtPriceX96AtTick(tickLower)
  const highestX96 = sqrtPriceX96AtTick(tickUpper)
  const { liquidity } = pool
  const liquidityX96 = liquidity << 96n
  const pipsLessFee = FEE_PIPS_WHOLE - BigInt(pool.feePips)
  let { sqrtPriceX96, feeGrowthGlobal0X128: growth0X128, feeGrowthGlobal1X128: growth1X128 } = pool
  let amountOut = 0n
  for (const { zeroForOne, amountSpecified } of orders) {
    const amount = (amountSpecified * pipsLessFee) / FEE_PIPS_WHOLE
    if (zeroForOne) {
      const nextX96 = divideUp(liquidityX96 * sqrtPriceX96, liquidityX96 + amount * sqrtPriceX96)
      if (nextX96 <= lowestX96) throw new RangeError('the price left the range')
      const amountX96 = liquidity * (sqrtPriceX96 - nextX96)
      amountOut = amountX96 >> 96n
      const fee = amountSpecified - divideUp(amountX96 << 96n, sqrtPriceX96 * nextX96)
      growth0X128 += (fee << 128n) / liquidity
      sqrtPriceX96 = nextX96
    } else {
      const nextX96 = sqrtPriceX96 + (amount << 96n) / liquidity
      if (nextX96 >= highestX96) throw new RangeError('the price left the range')
      const amountX96 = liquidity * (nextX96 - sqrtPriceX96)
      amountOut = (amountX96 << 96n) / (sqrtPriceX96 * nextX96)
      const fee = amountSpecified - (((amountX96 - 1n) >> 96n) + 1n)
      growth1X128 += (fee << 128n) / liquidity
      sqrtPriceX96 = nextX96
    }
  }
  return { sqrtPriceX96, growth0X128, growth1X128, amountOut }
}

/** For numerators above 0. */
function divideUp(numerator: bigint, denominator: bigint): bigint {
  return (numerator - 1n) / denominator + 1n
}

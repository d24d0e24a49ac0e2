import { AmmError } from '../../amm/amm-error.ts'
import type { Pool } from '../../amm/pool.ts'
import { computeSwap } from '../../amm/swap.ts'
import { outputBoundAt } from './output-bound.ts'
import { isZeroForOne, type Leg, poolOf, type RouteGraph } from './route-graph.ts'

/** What each leg gives for what the one before gives; undefined where one does not take the whole amount. */
export function quoteWay(graph: RouteGraph, legs: readonly Leg[], amountIn: bigint): bigint[] | undefined {
  const amounts: bigint[] = []
  let amount: bigint | undefined = amountIn
  for (const leg of legs) {
    amount = quoteHop(poolOf(graph, leg).amm, isZeroForOne(leg), amount)
    if (amount === undefined) return undefined
    amounts.push(amount)
  }
  return amounts
}

function quoteHop(pool: Pool, zeroForOne: boolean, amountIn: bigint): bigint | undefined {
  // A pool that runs dry is walked to the end of all prices: worth a look before.
  if (outputBoundAt(pool, zeroForOne, Number(amountIn)) === 0) return undefined
  try {
    const { amount0, amount1 } = computeSwap(pool, { zeroForOne, amountSpecified: amountIn })
    const [amountTaken, amountOut] = zeroForOne ? [amount0, -amount1] : [amount1, -amount0]
    return amountTaken === amountIn && amountOut > 0n ? amountOut : undefined
  } catch (error) {
    if (error instanceof AmmError) return undefined
    throw error
  }
}

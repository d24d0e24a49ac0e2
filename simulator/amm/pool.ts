/**
 * Concentrated-liquidity pools, exact to the unit: the mathematics of Uniswap v3, written from its whitepaper and the
 * semantics of the v3-core contracts, on native bigint. Free functions over plain data, one idea a file; this one holds
 * a pool's state. Amounts are base units, prices Q64.96 square roots of token1 per token0, fee growth Q128.128.
 */
import { AmmError } from './amm-error.ts'
import type { Position } from './position.ts'
import type { TickMap } from './tick-map.ts'
import { tickAtSqrtPriceX96 } from './tick-math.ts'

export type Pool = {
  feePips: number
  tickSpacing: number
  sqrtPriceX96: bigint
  tick: number
  /** Liquidity in range. */
  liquidity: bigint
  feeGrowthGlobal0X128: bigint
  feeGrowthGlobal1X128: bigint
  ticks: TickMap
  positions: Map<string, Position>
}

/** A pool at its opening price, without liquidity. Throws AmmError R for a price out of range. */
export function createPool(options: { feePips: number; tickSpacing: number; sqrtPriceX96: bigint }): Pool {
  if (!Number.isInteger(options.tickSpacing) || options.tickSpacing < 1) throw new AmmError('T')
  return {
    ...options,
    tick: tickAtSqrtPriceX96(options.sqrtPriceX96),
    liquidity: 0n,
    feeGrowthGlobal0X128: 0n,
    feeGrowthGlobal1X128: 0n,
    ticks: { byTick: new Map(), ascending: [] },
    positions: new Map(),
  }
}

/**
 * Concentrated-liquidity pools, exact to the unit: the mathematics of Uniswap v3, written from its whitepaper and the semantics
 * of the v3-core contracts, on native bigint. Free functions over plain data; this file has a pool's state. Amounts are base
 * units, prices Q64.96 square roots of token1 per token0, fee growth Q128.128, times whole seconds modulo 2^32. A call that
 * throws AmmError has changed nothing. Times are optional: the default is the time of the last observation.
 */
import { AmmError } from './amm-error.ts'
import { createOracle, type Oracle } from './oracle.ts'
import type { Position } from './position.ts'
import { FEE_PIPS_WHOLE } from './swap.ts'
import type { TickMap } from './tick.ts'
import { tickAtSqrtPriceX96 } from './tick-math.ts'

export type Pool = {
  feePips: number
  tickSpacing: number
  sqrtPriceX96: bigint
  tick: number
  liquidity: bigint
  feeGrowthGlobal0X128: bigint
  feeGrowthGlobal1X128: bigint
  /** The protocol gets 1/N of the swap fees; 0: none. */
  feeProtocol0: number
  feeProtocol1: number
  /** Uncollected. */
  protocolFees0: bigint
  protocolFees1: bigint
  ticks: TickMap
  positions: Map<string, Position>
  oracle: Oracle
}

export type PoolOptions = { feePips: number; tickSpacing: number; sqrtPriceX96: bigint; timeS?: number }

/** The factory's bound: wider spacings could overflow the bitmap's word arithmetic. */
const TICK_SPACING_END = 16384

/** Creates a pool without liquidity. Throws AmmError R for a price out of range, tier for a bad tier. */
export function createPool({ feePips, tickSpacing, sqrtPriceX96, timeS = 0 }: PoolOptions): Pool {
  if (!isBelow(feePips, 0, Number(FEE_PIPS_WHOLE)) || !isBelow(tickSpacing, 1, TICK_SPACING_END))
    throw new AmmError('tier')
  return {
    feePips,
    tickSpacing,
    sqrtPriceX96,
    tick: tickAtSqrtPriceX96(sqrtPriceX96),
    liquidity: 0n,
    feeGrowthGlobal0X128: 0n,
    feeGrowthGlobal1X128: 0n,
    feeProtocol0: 0,
    feeProtocol1: 0,
    protocolFees0: 0n,
    protocolFees1: 0n,
    ticks: { byTick: new Map(), ascending: [] },
    positions: new Map(),
    oracle: createOracle(timeS),
  }
}

function isBelow(value: number, least: number, end: number): boolean {
  return Number.isInteger(value) && value >= least && value < end
}

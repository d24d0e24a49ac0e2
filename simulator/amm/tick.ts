import { AmmError } from './amm-error.ts'
import { wrap256 } from './full-math.ts'
import { type Observation, wrapSecondsPerLiquidity, wrapTickCumulative } from './oracle.ts'
import type { Pool } from './pool.ts'
import type { TickState } from './tick-map.ts'

export type TickChange = { gross: bigint; net: bigint; liquidityMax: bigint }

/** Returns the changed tick (Tick.update). By convention all growth before its initialization happened below it. */
export function changedTick(
  pool: Pool,
  tick: number,
  { gross, net, liquidityMax }: TickChange,
  now: Observation,
): TickState {
  const before = pool.ticks.byTick.get(tick)
  const liquidityGross = (before?.liquidityGross ?? 0n) + gross
  if (liquidityGross < 0n) throw new AmmError('LS')
  if (liquidityGross > liquidityMax) throw new AmmError('LO')
  const liquidityNet = (before?.liquidityNet ?? 0n) + net
  if (before) return { ...before, liquidityGross, liquidityNet }
  const below = tick <= pool.tick
  return {
    liquidityGross,
    liquidityNet,
    feeGrowthOutside0X128: below ? pool.feeGrowthGlobal0X128 : 0n,
    feeGrowthOutside1X128: below ? pool.feeGrowthGlobal1X128 : 0n,
    tickCumulativeOutside: below ? now.tickCumulative : 0n,
    secondsPerLiquidityOutsideX128: below ? now.secondsPerLiquidityCumulativeX128 : 0n,
    secondsOutside: below ? now.timeS >>> 0 : 0,
  }
}

/** Whitepaper (6.26), Tick.cross: flips the outside values to the other side. */
export function crossTick(
  state: TickState,
  { global0X128, global1X128 }: { global0X128: bigint; global1X128: bigint },
  now: Observation,
): void {
  state.feeGrowthOutside0X128 = wrap256(global0X128 - state.feeGrowthOutside0X128)
  state.feeGrowthOutside1X128 = wrap256(global1X128 - state.feeGrowthOutside1X128)
  state.tickCumulativeOutside = wrapTickCumulative(now.tickCumulative - state.tickCumulativeOutside)
  state.secondsPerLiquidityOutsideX128 = wrapSecondsPerLiquidity(
    now.secondsPerLiquidityCumulativeX128 - state.secondsPerLiquidityOutsideX128,
  )
  state.secondsOutside = (now.timeS - state.secondsOutside) >>> 0
}

export type FeeGrowth = { inside0X128: bigint; inside1X128: bigint }

/** Whitepaper (6.17) to (6.19), Tick.getFeeGrowthInside: total growth minus growth below and above. */
export function feeGrowthInside(
  pool: Pool,
  { tickLower, tickUpper }: { tickLower: number; tickUpper: number },
  lower: TickState,
  upper: TickState,
): FeeGrowth {
  const inside = (globalX128: bigint, lowerOutsideX128: bigint, upperOutsideX128: bigint): bigint => {
    const belowX128 = pool.tick >= tickLower ? lowerOutsideX128 : globalX128 - lowerOutsideX128
    const aboveX128 = pool.tick < tickUpper ? upperOutsideX128 : globalX128 - upperOutsideX128
    return wrap256(globalX128 - belowX128 - aboveX128)
  }
  return {
    inside0X128: inside(pool.feeGrowthGlobal0X128, lower.feeGrowthOutside0X128, upper.feeGrowthOutside0X128),
    inside1X128: inside(pool.feeGrowthGlobal1X128, lower.feeGrowthOutside1X128, upper.feeGrowthOutside1X128),
  }
}

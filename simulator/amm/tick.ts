import { AmmError } from './amm-error.ts'
import { wrap256 } from './full-math.ts'
import { type Observation, wrapSecondsPerLiquidity, wrapTickCumulative } from './oracle.ts'
import type { Pool } from './pool.ts'

/** State of an initialized tick (whitepaper 6.3). */
export type TickState = {
  /** Sum over all positions that start or end here; zero: no longer initialized. */
  liquidityGross: bigint
  /** Added when the price crosses upwards, subtracted when it crosses downwards. */
  liquidityNet: bigint
  /** Fee growth on the tick's other side from the price, since it was initialized. */
  feeGrowthOutside0X128: bigint
  feeGrowthOutside1X128: bigint
  tickCumulativeOutside: bigint
  secondsPerLiquidityOutsideX128: bigint
  secondsOutside: number
}

export type TickMap = { byTick: Map<number, TickState>; ascending: number[] }

export type NextTick = { tick: number; initialized: boolean }

/**
 * Returns the tick at which a swap step ends (TickBitmap.nextInitializedTickWithinOneWord): the next initialized tick, but not
 * beyond the end of the contract's bitmap word of 256 spacings. Each step rounds, so longer steps would give other amounts than
 * the contract. Includes the current tick downwards, not upwards.
 */
export function nextTickWithinWord(
  map: TickMap,
  tick: number,
  tickSpacing: number,
  direction: 'down' | 'up',
): NextTick {
  const compressed = Math.floor(tick / tickSpacing)
  if (direction === 'down') {
    const wordStart = (compressed >> 8) * 256 * tickSpacing
    const found = map.ascending[countUpTo(map.ascending, compressed * tickSpacing) - 1]
    return found !== undefined && found >= wordStart
      ? { tick: found, initialized: true }
      : { tick: wordStart, initialized: false }
  }
  const first = compressed + 1
  const wordEnd = ((first >> 8) * 256 + 255) * tickSpacing
  const found = map.ascending[countUpTo(map.ascending, first * tickSpacing - 1)]
  return found !== undefined && found <= wordEnd
    ? { tick: found, initialized: true }
    : { tick: wordEnd, initialized: false }
}

export function setTick(map: TickMap, tick: number, state: TickState): void {
  if (!map.byTick.has(tick)) map.ascending.splice(countUpTo(map.ascending, tick), 0, tick)
  map.byTick.set(tick, state)
}

export function deleteTick(map: TickMap, tick: number): void {
  if (map.byTick.delete(tick)) map.ascending.splice(countUpTo(map.ascending, tick) - 1, 1)
}

export function countUpTo(ascending: readonly number[], tick: number): number {
  let low = 0
  let high = ascending.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((ascending[middle] ?? Number.POSITIVE_INFINITY) <= tick) low = middle + 1
    else high = middle
  }
  return low
}

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

import { AmmError } from './amm-error.ts'
import {
  type Cumulatives,
  growOracle,
  observeAt,
  observedTimeS,
  wrapSecondsPerLiquidity,
  wrapTickCumulative,
} from './oracle.ts'
import type { Pool } from './pool.ts'
import { requireTicks } from './position.ts'
import type { TickState } from './tick-map.ts'

/**
 * Returns the cumulatives at each moment, in seconds before `timeS` (UniswapV3Pool.observe). Throws AmmError OLD for a moment
 * before the oldest observation.
 */
export function observe(
  pool: Pool,
  secondsAgo: readonly number[],
  timeS = observedTimeS(pool.oracle),
): readonly Cumulatives[] {
  const present = { timeS, tick: pool.tick, liquidity: pool.liquidity }
  return secondsAgo.map((ago) => observeAt(pool.oracle, present, ago))
}

/** Reserves slots for observations; they are used once the ring wraps (increaseObservationCardinalityNext). */
export function increaseObservationCardinality(pool: Pool, cardinalityNext: number): void {
  growOracle(pool.oracle, cardinalityNext)
}

export type CumulativesInside = {
  tickCumulativeInside: bigint
  secondsPerLiquidityInsideX128: bigint
  secondsInside: number
}

/**
 * Returns the cumulatives while the price was within a range (UniswapV3Pool.snapshotCumulativesInside). Compare two snapshots
 * only if both ticks were initialized throughout. Throws AmmError uninitialized, TLU, TLM, TUM.
 */
export function snapshotCumulativesInside(
  pool: Pool,
  range: { tickLower: number; tickUpper: number },
  timeS = observedTimeS(pool.oracle),
): CumulativesInside {
  requireTicks(range)
  const lower = pool.ticks.byTick.get(range.tickLower)
  const upper = pool.ticks.byTick.get(range.tickUpper)
  if (!lower || !upper) throw new AmmError('uninitialized')
  if (pool.tick < range.tickLower) return difference(outside(lower), outside(upper))
  if (pool.tick >= range.tickUpper) return difference(outside(upper), outside(lower))
  const now = observeAt(pool.oracle, { timeS, tick: pool.tick, liquidity: pool.liquidity }, 0)
  const all = {
    tickCumulativeInside: now.tickCumulative,
    secondsPerLiquidityInsideX128: now.secondsPerLiquidityCumulativeX128,
    secondsInside: timeS,
  }
  return difference(difference(all, outside(lower)), outside(upper))
}

function outside(state: TickState): CumulativesInside {
  return {
    tickCumulativeInside: state.tickCumulativeOutside,
    secondsPerLiquidityInsideX128: state.secondsPerLiquidityOutsideX128,
    secondsInside: state.secondsOutside,
  }
}

function difference(from: CumulativesInside, less: CumulativesInside): CumulativesInside {
  return {
    tickCumulativeInside: wrapTickCumulative(from.tickCumulativeInside - less.tickCumulativeInside),
    secondsPerLiquidityInsideX128: wrapSecondsPerLiquidity(
      from.secondsPerLiquidityInsideX128 - less.secondsPerLiquidityInsideX128,
    ),
    secondsInside: (from.secondsInside - less.secondsInside) >>> 0,
  }
}

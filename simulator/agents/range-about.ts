import type { Pool as AmmPool } from '../amm/pool.ts'
import { TICK_MAX, TICK_MIN } from '../amm/tick-math.ts'

/** A range about a pool's price, as wide either way, on its ticks; at least a spacing. */
export function rangeAbout(
  { tick, tickSpacing }: Pick<AmmPool, 'tick' | 'tickSpacing'>,
  halfWidthTicks: number,
): { tickLower: number; tickUpper: number } {
  const lowest = Math.ceil(TICK_MIN / tickSpacing)
  const highest = Math.floor(TICK_MAX / tickSpacing)
  const half = Math.max(1, Math.round(halfWidthTicks / tickSpacing))
  const centre = Math.min(highest - 1, Math.max(lowest + 1, Math.floor(tick / tickSpacing)))
  return {
    tickLower: Math.max(lowest, centre - half) * tickSpacing,
    tickUpper: Math.min(highest, centre + half) * tickSpacing,
  }
}

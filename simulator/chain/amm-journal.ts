import { type Oracle, observedTimeS } from '../amm/oracle.ts'
import type { Pool } from '../amm/pool.ts'
import { type PositionRange, positionKey } from '../amm/position.ts'
import type { Swap } from '../amm/swap.ts'
import {
  type Journal,
  rememberEntries,
  rememberEntry,
  rememberFields,
  rememberItem,
  rememberItems,
} from '../undo-log.ts'

/** Call before applySwap: a pool changes in place. */
export function rememberSwap(journal: Journal, pool: Pool, swap: Swap, timeS: number): void {
  const { zeroForOne, tick, crossed } = swap
  rememberFields(journal, pool, zeroForOne ? fieldsBefore0(pool) : fieldsBefore1(pool))
  for (const { tick: crossedTick } of crossed) {
    const state = pool.ticks.byTick.get(crossedTick)
    if (state) rememberFields(journal, state, { ...state })
  }
  // A pool writes one observation per second: most blocks swap several times in a pool.
  if (tick !== pool.tick && timeS >>> 0 !== observedTimeS(pool.oracle))
    rememberObservation(journal, pool.oracle)
}

// Without spreads: 0.9 µs instead of 2.0 µs, for every swap.
function fieldsBefore0(pool: Pool): Partial<Pool> {
  const { sqrtPriceX96, tick, liquidity, feeGrowthGlobal0X128, protocolFees0 } = pool
  return { sqrtPriceX96, tick, liquidity, feeGrowthGlobal0X128, protocolFees0 }
}

function fieldsBefore1(pool: Pool): Partial<Pool> {
  const { sqrtPriceX96, tick, liquidity, feeGrowthGlobal1X128, protocolFees1 } = pool
  return { sqrtPriceX96, tick, liquidity, feeGrowthGlobal1X128, protocolFees1 }
}

/** Call before each mint, burn or collect of the position. */
export function rememberPosition(journal: Journal, pool: Pool, range: PositionRange): void {
  const key = positionKey(range)
  const position = pool.positions.get(key)
  if (!position) rememberEntry(journal, pool.positions, key)
  else rememberFields(journal, position, { ...position })
  const liquidity = position?.liquidity ?? 0n
  // Only an empty position can be deleted, and only a tick without other liquidity.
  if (position && liquidity === 0n) rememberEntries(journal, pool.positions)
  for (const tick of [range.tickLower, range.tickUpper]) rememberTick(journal, pool, tick, liquidity)
  if (pool.tick < range.tickLower || pool.tick >= range.tickUpper) return
  rememberFields(journal, pool, { liquidity: pool.liquidity })
  rememberObservation(journal, pool.oracle)
}

function rememberTick(journal: Journal, { ticks }: Pool, tick: number, liquidity: bigint): void {
  const state = ticks.byTick.get(tick)
  const canGo = state !== undefined && state.liquidityGross === liquidity
  if (canGo) rememberEntries(journal, ticks.byTick)
  else rememberEntry(journal, ticks.byTick, tick)
  if (canGo || !state) rememberItems(journal, ticks.ascending)
}

/** Remembers the slot that writeObservation may write. */
function rememberObservation(journal: Journal, oracle: Oracle): void {
  const { observations, index, cardinality, cardinalityNext } = oracle
  const slots = index === cardinality - 1 ? cardinalityNext : cardinality
  rememberFields(journal, oracle, { index, cardinality })
  rememberItem(journal, observations, (index + 1) % slots)
}

import { collect } from '../amm/collect.ts'
import type { Pool as AmmPool } from '../amm/pool.ts'
import { burn, type Position, type PositionRange, positionKey } from '../amm/position.ts'

/** A position in its pool: its id stands for the owner, so that no two ever share fees. */
export function rangeOf(position: { id: string; tickLower: number; tickUpper: number }): PositionRange {
  return { owner: position.id, tickLower: position.tickLower, tickUpper: position.tickUpper }
}

export type Owed = { liquidity: bigint; owed0: bigint; owed1: bigint }

/** What a position has and is owed, fees up to now included; the pool stays as it is. */
export function owedNow(pool: AmmPool, range: PositionRange): Owed {
  const key = positionKey(range)
  const position = pool.positions.get(key)
  if (!position) return { liquidity: 0n, owed0: 0n, owed1: 0n }
  const { liquidity } = position
  if (liquidity === 0n) return { liquidity, owed0: position.tokensOwed0, owed1: position.tokensOwed1 }
  const { tokensOwed0, tokensOwed1 } = poked(pool, range, position)
  return { liquidity, owed0: tokensOwed0, owed1: tokensOwed1 }
}

/** Brings the fees up to date and takes the amounts from what is owed; whether the position has nothing left, and is gone. */
export function payOwed(pool: AmmPool, range: PositionRange, amount0: bigint, amount1: bigint): boolean {
  const key = positionKey(range)
  const position = pool.positions.get(key)
  if (!position) throw new RangeError(`the pool has no position ${key}`)
  // A burn of nothing credits the fees so far, as NonfungiblePositionManager.collect does.
  if (position.liquidity > 0n) burn(pool, range, 0n)
  collect(pool, range, { amount0, amount1 })
  return !pool.positions.has(key)
}

/** The position after a burn of nothing, on a copy of what that may touch: the position and its two ticks. */
function poked(pool: AmmPool, range: PositionRange, position: Position): Position {
  const copy = { ...position }
  const byTick = new Map(
    [range.tickLower, range.tickUpper].flatMap((tick) => {
      const state = pool.ticks.byTick.get(tick)
      return state ? [[tick, { ...state }] as const] : []
    }),
  )
  const positions = new Map([[positionKey(range), copy]])
  burn({ ...pool, positions, ticks: { ...pool.ticks, byTick } }, range, 0n)
  return copy
}

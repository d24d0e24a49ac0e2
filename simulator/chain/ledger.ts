import { collect } from '../amm/fees.ts'
import type { Pool as AmmPool } from '../amm/pool.ts'
import { burn, type Position, type PositionRange, positionKey } from '../amm/position.ts'
import { putEntry, setFields } from '../undo-log.ts'
import { Refusal } from './refusal.ts'
import type { ChainPool, ChainState } from './state.ts'
import type { ChainEvent } from './transaction.ts'

/** What an address holds of a token, in base units; 0 where it never held any. */
export function balanceOf(state: ChainState, address: string, tokenId: string): bigint {
  return state.balances.get(address)?.get(tokenId) ?? 0n
}

/** Refuses a payment that the balance does not cover. To be called before anything changes. */
export function requireBalance(state: ChainState, address: string, tokenId: string, amount: bigint): void {
  if (balanceOf(state, address, tokenId) < amount) throw new Refusal('balance-too-low')
}

/** Moves a balance and says so; `delta` is negative for a payment. */
export function changeBalance(
  state: ChainState,
  address: string,
  tokenId: string,
  delta: bigint,
): ChainEvent {
  const balance = balanceOf(state, address, tokenId) + delta
  if (balance < 0n) throw new RangeError(`the balance of ${address} would be negative`)
  putEntry(state.journal, heldBy(state, address), tokenId, balance)
  return { kind: 'balanceChanged', address, tokenId, delta, balance }
}

function heldBy({ balances, journal }: ChainState, address: string): Map<string, bigint> {
  const known = balances.get(address)
  if (known) return known
  const held = new Map<string, bigint>()
  putEntry(journal, balances, address, held)
  return held
}

/** What the pool holds from here on: negative for what it pays. */
export function addToPool({ journal }: ChainState, pool: ChainPool, delta0: bigint, delta1: bigint): void {
  setFields(journal, pool, { balance0: pool.balance0 + delta0, balance1: pool.balance1 + delta1 })
}

/** Moves the address's balances of the pool's tokens, and says so of each that moved. */
export function moveBalances(
  state: ChainState,
  address: string,
  { token0, token1 }: ChainPool,
  delta0: bigint,
  delta1: bigint,
): readonly ChainEvent[] {
  const moves = [
    { token: token0, delta: delta0 },
    { token: token1, delta: delta1 },
  ]
  return moves
    .filter(({ delta }) => delta !== 0n)
    .map(({ token, delta }) => changeBalance(state, address, token, delta))
}

/** A position in its pool: its id stands for the owner, so that no two ever share fees. */
export function rangeOf(position: { id: string; tickLower: number; tickUpper: number }): PositionRange {
  return { owner: position.id, tickLower: position.tickLower, tickUpper: position.tickUpper }
}

type Owed = { liquidity: bigint; owed0: bigint; owed1: bigint }

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

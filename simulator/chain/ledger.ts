import { collect } from '../amm/fees.ts'
import type { Pool as AmmPool } from '../amm/pool.ts'
import { burn, type Position, type PositionRange, positionKey } from '../amm/position.ts'
import { putEntry, setFields } from '../undo-log.ts'
import { Refusal } from './refusal.ts'
import type { ChainPool, ChainState } from './state.ts'
import type { ChainEvent } from './transaction.ts'

/** Balance in base units; 0 for an unknown address or token. */
export function getBalance(state: ChainState, address: string, tokenId: string): bigint {
  return state.balances.get(address)?.get(tokenId) ?? 0n
}

/** Throws a Refusal if the balance is too low. Call before the first change. */
export function requireBalance(state: ChainState, address: string, tokenId: string, amount: bigint): void {
  if (getBalance(state, address, tokenId) < amount) throw new Refusal('balance-too-low')
}

/** Changes a balance and returns its event; `delta` is negative for a payment. */
export function changeBalance(
  state: ChainState,
  address: string,
  tokenId: string,
  delta: bigint,
): ChainEvent {
  const held = heldBy(state, address)
  const before = held.get(tokenId)
  const balance = (before ?? 0n) + delta
  if (balance < 0n) throw new RangeError(`the balance of ${address} would be negative`)
  putEntry(state.journal, held, tokenId, balance, before)
  return { kind: 'balanceChanged', address, tokenId, delta, balance }
}

function heldBy({ balances, journal }: ChainState, address: string): Map<string, bigint> {
  const known = balances.get(address)
  if (known) return known
  const held = new Map<string, bigint>()
  putEntry(journal, balances, address, held)
  return held
}

export function addToPool({ journal }: ChainState, pool: ChainPool, delta0: bigint, delta1: bigint): void {
  setFields(journal, pool, { balance0: pool.balance0 + delta0, balance1: pool.balance1 + delta1 })
}

/** Changes the address's balances of the pool's tokens, and returns one event for each nonzero change. */
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

/** A position's range in its pool. Its id is the owner, so that no two positions share fees. */
export function toPositionRange(position: {
  id: string
  tickLower: number
  tickUpper: number
}): PositionRange {
  return { owner: position.id, tickLower: position.tickLower, tickUpper: position.tickUpper }
}

type Owed = { liquidity: bigint; owed0: bigint; owed1: bigint }

/** Returns a position's liquidity and tokens owed, current fees included, without changing the pool. */
export function owedNow(pool: AmmPool, range: PositionRange): Owed {
  const key = positionKey(range)
  const position = pool.positions.get(key)
  if (!position) return { liquidity: 0n, owed0: 0n, owed1: 0n }
  const { liquidity } = position
  if (liquidity === 0n) return { liquidity, owed0: position.tokensOwed0, owed1: position.tokensOwed1 }
  const { tokensOwed0, tokensOwed1 } = poked(pool, range, position)
  return { liquidity, owed0: tokensOwed0, owed1: tokensOwed1 }
}

/** Updates the fees and pays the amounts out of the tokens owed; returns whether the position is now empty and deleted. */
export function payOwed(pool: AmmPool, range: PositionRange, amount0: bigint, amount1: bigint): boolean {
  const key = positionKey(range)
  const position = pool.positions.get(key)
  if (!position) throw new RangeError(`the pool has no position ${key}`)
  // A burn of 0 credits the fees so far, as NonfungiblePositionManager.collect does.
  if (position.liquidity > 0n) burn(pool, range, 0n)
  collect(pool, range, { amount0, amount1 })
  return !pool.positions.has(key)
}

/** Applies a burn of 0 to a copy of the position and its two ticks. */
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

import { amountsBehind, burn, mint } from '../../amm/position.ts'
import { addMember, putEntry, rememberMembers, removeEntry, setFields } from '../../undo-log.ts'
import { rememberPosition } from '../amm-journal.ts'
import { fieldFrom } from '../identifiers.ts'
import { addToPool, moveBalances, owedNow, payOwed, requireBalance, toPositionRange } from '../ledger.ts'
import { requireTradable } from '../pair.ts'
import { Refusal } from '../refusal.ts'
import type { ChainPool, ChainPosition, ChainState, Program } from '../state.ts'
import type { ChainEvent } from '../transaction.ts'
import { poolAfter, requirePool } from './pools.ts'

/** Opens a position; positions over the same range stay separate. */
export const mintPosition: Program<'mintPosition'> = (
  state,
  transaction,
  { transactionId, timeS, sequence },
) => {
  const { sender: owner, tickLower, tickUpper, isPrivate } = transaction
  const pool = requirePool(state, transaction.pool)
  const id = fieldFrom(`position/${transactionId}`)
  const position = { id, owner, pool: pool.key, tickLower, tickUpper, isPrivate, frozenAtMs: null }
  const events = payIn(state, pool, position, transaction.liquidity, timeS)
  remember(state, { ...position, sequence })
  return [
    { kind: 'positionOpened', position: id, owner, pool: pool.key, tickLower, tickUpper, isPrivate },
    ...events,
  ]
}

export const increasePosition: Program<'increasePosition'> = (
  state,
  { sender, position: id, liquidity },
  { timeS },
) => {
  const position = requireOwn(state, id, sender)
  return payIn(state, requirePool(state, position.pool), position, liquidity, timeS)
}

/** Removes liquidity; its amounts are owed to the position, in addition to its fees. */
export const burnPosition: Program<'burnPosition'> = (
  state,
  { sender, position: id, liquidity },
  { timeS },
) => {
  const position = requireOwn(state, id, sender)
  const pool = requirePool(state, position.pool)
  const range = toPositionRange(position)
  rememberPosition(state.journal, pool.amm, range)
  const { amount0, amount1 } = burn(pool.amm, range, liquidity, timeS)
  return [
    {
      kind: 'liquidityChanged',
      position: id,
      pool: pool.key,
      liquidityDelta: -liquidity,
      amount0: -amount0,
      amount1: -amount1,
      ...poolAfter(pool.amm),
    },
  ]
}

/** Pays out what is owed, current fees included; closes an empty position. */
export const collectPosition: Program<'collectPosition'> = (state, transaction) => {
  const { sender, amount0Max, amount1Max } = transaction
  if (amount0Max < 0n || amount1Max < 0n) throw new Refusal('amount-not-positive')
  const position = requireOwn(state, transaction.position, sender)
  const pool = requirePool(state, position.pool)
  const range = toPositionRange(position)
  const { liquidity, owed0, owed1 } = owedNow(pool.amm, range)
  const amount0 = lesser(owed0, amount0Max)
  const amount1 = lesser(owed1, amount1Max)
  const isEmpty = liquidity === 0n && owed0 === 0n && owed1 === 0n
  if (amount0 === 0n && amount1 === 0n && !isEmpty) throw new Refusal('nothing-owed')
  rememberPosition(state.journal, pool.amm, range)
  const closed = payOwed(pool.amm, range, amount0, amount1)
  addToPool(state, pool, -amount0, -amount1)
  if (closed) forget(state, position)
  return [
    { kind: 'positionCollected', position: position.id, pool: pool.key, amount0, amount1, closed },
    ...moveBalances(state, sender, pool, amount0, amount1),
  ]
}

/** Only the administrator freezes: the owner can then neither add, burn nor collect. The liquidity keeps trading. */
export const freezePosition: Program<'freezePosition'> = (state, { sender, position: id }, { timeMs }) => {
  if (sender !== state.administrator) throw new Refusal('not-administrator')
  const position = requirePosition(state, id)
  if (position.frozenAtMs !== null) throw new Refusal('position-frozen')
  setFields(state.journal, position, { frozenAtMs: timeMs })
  return [{ kind: 'positionFrozen', position: id, frozenAtMs: timeMs }]
}

export const unfreezePosition: Program<'unfreezePosition'> = (state, { sender, position: id }) => {
  if (sender !== state.administrator) throw new Refusal('not-administrator')
  const position = requirePosition(state, id)
  if (position.frozenAtMs === null) throw new Refusal('position-not-frozen')
  setFields(state.journal, position, { frozenAtMs: null })
  return [{ kind: 'positionFrozen', position: id, frozenAtMs: null }]
}

function payIn(
  state: ChainState,
  pool: ChainPool,
  position: Omit<ChainPosition, 'sequence'>,
  liquidity: bigint,
  timeS: number,
): readonly ChainEvent[] {
  const range = toPositionRange(position)
  requireTradable(state, pool)
  if (liquidity <= 0n) throw new Refusal('amount-not-positive')
  const { amount0, amount1 } = amountsBehind(pool.amm, range, liquidity, 'up')
  requireBalance(state, position.owner, pool.token0, amount0)
  requireBalance(state, position.owner, pool.token1, amount1)
  rememberPosition(state.journal, pool.amm, range)
  mint(pool.amm, range, liquidity, timeS)
  addToPool(state, pool, amount0, amount1)
  return [
    {
      kind: 'liquidityChanged',
      position: position.id,
      pool: pool.key,
      liquidityDelta: liquidity,
      amount0,
      amount1,
      ...poolAfter(pool.amm),
    },
    ...moveBalances(state, position.owner, pool, -amount0, -amount1),
  ]
}

function requireOwn(state: ChainState, id: string, sender: string): ChainPosition {
  const position = requirePosition(state, id)
  if (position.owner !== sender) throw new Refusal('not-owner')
  if (position.frozenAtMs !== null) throw new Refusal('position-frozen')
  return position
}

function requirePosition(state: ChainState, id: string): ChainPosition {
  const position = state.positions.get(id)
  if (!position) throw new Refusal('position-unknown')
  return position
}

function remember({ journal, positions, positionsByOwner }: ChainState, position: ChainPosition): void {
  const { id, owner } = position
  putEntry(journal, positions, id, position)
  const owned = positionsByOwner.get(owner)
  if (owned) addMember(journal, owned, id)
  else putEntry(journal, positionsByOwner, owner, new Set([id]))
}

function forget({ journal, positions, positionsByOwner }: ChainState, { id, owner }: ChainPosition): void {
  removeEntry(journal, positions, id)
  const owned = positionsByOwner.get(owner)
  if (!owned) return
  rememberMembers(journal, owned)
  owned.delete(id)
}

function lesser(a: bigint, b: bigint): bigint {
  return a < b ? a : b
}

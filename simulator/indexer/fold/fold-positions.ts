import { burn, mint } from '../../amm/position.ts'
import { rememberPosition } from '../../chain/amm-journal.ts'
import type { ChainEvent, LiquidityChanged, PositionCollected, PositionOpened } from '../../chain/event.ts'
import { payOwed, rangeOf } from '../../chain/position-account.ts'
import { putEntry, removeEntry, setFields } from '../../journal.ts'
import { logTrade } from '../history/trades.ts'
import { type IndexState, indexedPool, indexedPosition } from '../index-state.ts'
import type { Folding } from './fold-block.ts'
import { touchPool } from './fold-pools.ts'

/** A position without liquidity: what it is given comes as an event of its own. */
export function foldPositionOpened(
  state: IndexState,
  { position: id, owner, pool, tickLower, tickUpper, isPrivate }: PositionOpened,
  { timeMs, transactionId }: Folding,
): void {
  const { journal, positionsOpened: sequence } = state
  const position = {
    id,
    sequence,
    owner,
    pool,
    tickLower,
    tickUpper,
    isPrivate,
    frozenAtMs: null,
    createdAtMs: timeMs,
    lastTransaction: transactionId,
  }
  setFields(journal, state, { positionsOpened: sequence + 1 })
  putEntry(journal, state.positions, id, position)
  const owned = state.positionsByOwner.get(owner)
  if (owned) putEntry(journal, owned, id, position)
  else putEntry(journal, state.positionsByOwner, owner, new Map([[id, position]]))
}

/** The pool's mathematics, rebuilt here, do what the chain's did: fees are credited on the way. */
export function foldLiquidity(state: IndexState, event: LiquidityChanged, folding: Folding): void {
  const { pool: key, liquidityDelta, amount0, amount1, sqrtPriceX96, tick, liquidity } = event
  const { height, timeMs, timeS, transactionId, receiptIndex, changed } = folding
  const { journal } = state
  const pool = indexedPool(state, key)
  const position = indexedPosition(state, event.position)
  setFields(journal, position, { lastTransaction: transactionId })
  const range = rangeOf(position)
  rememberPosition(journal, pool.amm, range)
  if (liquidityDelta <= 0n) burn(pool.amm, range, -liquidityDelta, timeS)
  if (liquidityDelta === 0n) return
  touchPool(journal, pool, changed)
  if (liquidityDelta > 0n) {
    mint(pool.amm, range, liquidityDelta, timeS)
    pool.balance0 += amount0
    pool.balance1 += amount1
  }
  const trade = {
    pool: pool.key,
    kind: liquidityDelta > 0n ? ('mint' as const) : ('burn' as const),
    block: height,
    receiptIndex,
    hopIndex: 0,
    transaction: transactionId,
    user: position.isPrivate ? null : position.owner,
    atMs: timeMs,
    amount0,
    amount1,
    sqrtPriceX96,
    tick,
    liquidity,
  }
  changed.trades.push({ pool, trade })
  logTrade(state, pool, trade)
}

/** Takes what was paid out from what is owed; a position that is closed is gone. */
export function foldPositionCollected(
  state: IndexState,
  { position: id, pool: key, amount0, amount1, closed }: PositionCollected,
  { transactionId, changed }: Folding,
): void {
  const { journal } = state
  const pool = indexedPool(state, key)
  const position = indexedPosition(state, id)
  setFields(journal, position, { lastTransaction: transactionId })
  touchPool(journal, pool, changed)
  rememberPosition(journal, pool.amm, rangeOf(position))
  payOwed(pool.amm, rangeOf(position), amount0, amount1)
  pool.balance0 -= amount0
  pool.balance1 -= amount1
  if (!closed) return
  removeEntry(journal, state.positions, id)
  const owned = state.positionsByOwner.get(position.owner)
  if (owned) removeEntry(journal, owned, id)
}

/** A position is frozen, or no longer. */
export function foldPositionFrozen(
  state: IndexState,
  { position: id, frozenAtMs }: Extract<ChainEvent, { kind: 'positionFrozen' }>,
  { transactionId }: Folding,
): void {
  setFields(state.journal, indexedPosition(state, id), { frozenAtMs, lastTransaction: transactionId })
}

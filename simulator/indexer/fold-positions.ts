import { burn, mint } from '../amm/position.ts'
import type { ChainEvent, LiquidityChanged, PositionCollected, PositionOpened } from '../chain/event.ts'
import { payOwed, rangeOf } from '../chain/position-account.ts'
import type { Folding } from './fold-block.ts'
import { addBalances } from './fold-pools.ts'
import { type IndexState, indexedPool, indexedPosition } from './index-state.ts'
import { priceText } from './price.ts'
import { logTrade } from './trade-log.ts'

export function foldPositionOpened(
  state: IndexState,
  { position: id, owner, pool, tickLower, tickUpper, isPrivate }: PositionOpened,
  { timeMs, transactionId }: Folding,
): void {
  state.positions.set(id, {
    id,
    owner,
    pool,
    tickLower,
    tickUpper,
    isPrivate,
    frozenAtMs: null,
    createdAtMs: timeMs,
    lastTransaction: transactionId,
  })
  const owned = state.positionsByOwner.get(owner) ?? new Set()
  state.positionsByOwner.set(owner, owned.add(id))
}

/** The pool's mathematics, rebuilt here, do what the chain's did: fees are credited on the way. */
export function foldLiquidity(state: IndexState, event: LiquidityChanged, folding: Folding): void {
  const { pool: key, liquidityDelta, amount0, amount1, sqrtPriceX96, tick, liquidity } = event
  const { height, timeMs, transactionId, receiptIndex, changed } = folding
  const pool = indexedPool(state, key)
  const position = indexedPosition(state, event.position)
  position.lastTransaction = transactionId
  if (liquidityDelta > 0n) {
    mint(pool.amm, rangeOf(position), liquidityDelta)
    addBalances(pool, amount0, amount1)
  } else burn(pool.amm, rangeOf(position), -liquidityDelta)
  if (liquidityDelta === 0n) return
  const trade = {
    id: `${height}-${receiptIndex}-0`,
    pool: key,
    kind: liquidityDelta > 0n ? ('mint' as const) : ('burn' as const),
    amount0,
    amount1,
    sqrtPriceX96,
    tick,
    liquidity,
    price: priceText(sqrtPriceX96, pool.view.token0, pool.view.token1),
    transaction: transactionId,
    block: height,
    atMs: timeMs,
  }
  changed.moved.add(key)
  changed.trades.push(trade)
  logTrade(pool.trades, trade)
}

export function foldPositionCollected(
  state: IndexState,
  { position: id, pool: key, amount0, amount1, closed }: PositionCollected,
  { transactionId, changed }: Folding,
): void {
  const pool = indexedPool(state, key)
  const position = indexedPosition(state, id)
  position.lastTransaction = transactionId
  payOwed(pool.amm, rangeOf(position), amount0, amount1)
  addBalances(pool, -amount0, -amount1)
  changed.moved.add(key)
  if (!closed) return
  state.positions.delete(id)
  const owned = state.positionsByOwner.get(position.owner)
  owned?.delete(id)
  if (owned?.size === 0) state.positionsByOwner.delete(position.owner)
}

export function foldPositionFrozen(
  state: IndexState,
  { position: id, frozenAtMs }: Extract<ChainEvent, { kind: 'positionFrozen' }>,
  { transactionId }: Folding,
): void {
  const position = indexedPosition(state, id)
  position.frozenAtMs = frozenAtMs
  position.lastTransaction = transactionId
}

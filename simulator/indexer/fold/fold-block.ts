import { collectProtocol, setProtocolFee } from '../../amm/fees.ts'
import { burn, mint } from '../../amm/position.ts'
import { rememberPosition } from '../../chain/amm-journal.ts'
import type { Block } from '../../chain/block.ts'
import { payOwed, toPositionRange } from '../../chain/ledger.ts'
import type {
  ChainEvent,
  LiquidityChanged,
  PositionCollected,
  PositionOpened,
  ProtocolCollected,
} from '../../chain/transaction.ts'
import { openBlock, putEntry, rememberFields, removeEntry, setFields } from '../../undo-log.ts'
import { logTrade } from '../history/trades.ts'
import { type IndexState, indexedPool, indexedPosition, indexedToken } from '../index-state.ts'
import type { BlockUpdate } from '../views/views.ts'
import { type BlockChanges, blockUpdate } from './block-update.ts'
import {
  foldConfig,
  foldFaucetClaimed,
  foldPairListed,
  foldPairPaused,
  foldPoolCreated,
  foldPoolEnabled,
  foldTokenListed,
  touchPool,
} from './fold-pools.ts'
import { foldClaim, foldSwap } from './fold-swaps.ts'

/**
 * Position of an event, and the changes of its block so far. One object for the whole block, which advances with the
 * receipts.
 */
export type Folding = {
  height: number
  timeMs: number
  /** In the unit of the AMM. */
  timeS: number
  transactionId: string
  receiptIndex: number
  changed: BlockChanges
}

/** Folds a block's events into the index, in time proportional to their number. Blocks come in order, each once. */
export function foldBlock(state: IndexState, block: Block): BlockUpdate {
  const { height, hash, timeMs, receipts } = block
  if (height !== state.head.height + 1) {
    throw new RangeError(`expected block ${state.head.height + 1}, got ${height}`)
  }
  openBlock(state.journal)
  const changed: BlockChanges = {
    launched: [],
    moved: new Set(),
    traded: new Set(),
    trades: [],
    balanceChanges: [],
    configChanges: [],
  }
  const timeS = Math.floor(timeMs / 1000)
  const folding: Folding = { height, timeMs, timeS, transactionId: '', receiptIndex: -1, changed }
  for (const { id, events } of receipts) {
    folding.transactionId = id
    folding.receiptIndex++
    for (const event of events) foldEvent(state, event, folding)
  }
  setFields(state.journal, state, { head: { height, hash, timeMs } })
  return blockUpdate(state, changed)
}

type Fold<Kind extends ChainEvent['kind']> = (
  state: IndexState,
  event: Extract<ChainEvent, { kind: Kind }>,
  folding: Folding,
) => void

const FOLDS: { [Kind in ChainEvent['kind']]: Fold<Kind> } = {
  tokenRegistered: foldTokenRegistered,
  tokenMinted: foldTokenMinted,
  balanceChanged: foldBalance,
  poolCreated: foldPoolCreated,
  poolEnabled: foldPoolEnabled,
  protocolFeeSet: foldProtocolFeeSet,
  protocolCollected: foldProtocolCollected,
  positionOpened: foldPositionOpened,
  liquidityChanged: foldLiquidity,
  positionCollected: foldPositionCollected,
  positionFrozen: foldPositionFrozen,
  swapExecuted: foldSwap,
  outputClaimed: foldClaim,
  configChanged: foldConfig,
  pairPaused: foldPairPaused,
  tokenListed: foldTokenListed,
  pairListed: foldPairListed,
  faucetClaimed: foldFaucetClaimed,
}

function foldEvent<Kind extends ChainEvent['kind']>(
  state: IndexState,
  event: Extract<ChainEvent, { kind: Kind }>,
  folding: Folding,
): void {
  // An event extracted by Kind has that kind, which the compiler cannot infer through the type parameter.
  FOLDS[event.kind as Kind](state, event, folding)
}

/**
 * Adds the change to the previous balance: the balance that the chain states is for readers, and for the invariants to
 * compare.
 */
function foldBalance(
  state: IndexState,
  { address, tokenId, delta, balance }: Extract<ChainEvent, { kind: 'balanceChanged' }>,
  { height, changed }: Folding,
): void {
  const held = state.balances.get(address)
  const before = held?.get(tokenId)
  if (held) putEntry(state.journal, held, tokenId, (before ?? 0n) + delta, before)
  else putEntry(state.journal, state.balances, address, new Map([[tokenId, delta]]))
  changed.balanceChanges.push({ address, token: indexedToken(state, tokenId), delta, balance, block: height })
}

/** Starts with zero supply. */
function foldTokenRegistered(
  state: IndexState,
  { token }: Extract<ChainEvent, { kind: 'tokenRegistered' }>,
  { timeMs }: Folding,
): void {
  putEntry(state.journal, state.tokens, token.id, { ...token, createdAtMs: timeMs, supply: 0n })
}

function foldTokenMinted(
  state: IndexState,
  { tokenId, amount }: Extract<ChainEvent, { kind: 'tokenMinted' }>,
): void {
  const token = indexedToken(state, tokenId)
  putEntry(state.journal, state.tokens, tokenId, { ...token, supply: token.supply + amount })
}

function foldProtocolFeeSet(
  state: IndexState,
  { pool: key, ...fee }: Extract<ChainEvent, { kind: 'protocolFeeSet' }>,
): void {
  const { amm } = indexedPool(state, key)
  const { feeProtocol0, feeProtocol1 } = amm
  rememberFields(state.journal, amm, { feeProtocol0, feeProtocol1 })
  setProtocolFee(amm, fee)
}

/** Subtracts the amount paid to the protocol from the pool's protocol fees. */
function foldProtocolCollected(
  state: IndexState,
  { pool: key, amount0, amount1 }: ProtocolCollected,
  { changed }: Folding,
): void {
  const pool = indexedPool(state, key)
  const { protocolFees0, protocolFees1 } = pool.amm
  touchPool(state.journal, pool, changed)
  rememberFields(state.journal, pool.amm, { protocolFees0, protocolFees1 })
  collectProtocol(pool.amm, { amount0, amount1 })
  pool.balance0 -= amount0
  pool.balance1 -= amount1
}

/** Starts without liquidity, which has its own event. */
function foldPositionOpened(
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

/** Repeats the pool's mathematics, including the fees credited. */
function foldLiquidity(state: IndexState, event: LiquidityChanged, folding: Folding): void {
  const { pool: key, liquidityDelta, amount0, amount1, sqrtPriceX96, tick, liquidity } = event
  const { height, timeMs, timeS, transactionId, receiptIndex, changed } = folding
  const { journal } = state
  const pool = indexedPool(state, key)
  const position = indexedPosition(state, event.position)
  setFields(journal, position, { lastTransaction: transactionId })
  const range = toPositionRange(position)
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

/** Subtracts the payment from the amount owed; deletes a closed position. */
function foldPositionCollected(
  state: IndexState,
  { position: id, pool: key, amount0, amount1, closed }: PositionCollected,
  { transactionId, changed }: Folding,
): void {
  const { journal } = state
  const pool = indexedPool(state, key)
  const position = indexedPosition(state, id)
  setFields(journal, position, { lastTransaction: transactionId })
  touchPool(journal, pool, changed)
  rememberPosition(journal, pool.amm, toPositionRange(position))
  payOwed(pool.amm, toPositionRange(position), amount0, amount1)
  pool.balance0 -= amount0
  pool.balance1 -= amount1
  if (!closed) return
  removeEntry(journal, state.positions, id)
  const owned = state.positionsByOwner.get(position.owner)
  if (owned) removeEntry(journal, owned, id)
}

function foldPositionFrozen(
  state: IndexState,
  { position: id, frozenAtMs }: Extract<ChainEvent, { kind: 'positionFrozen' }>,
  { transactionId }: Folding,
): void {
  setFields(state.journal, indexedPosition(state, id), { frozenAtMs, lastTransaction: transactionId })
}

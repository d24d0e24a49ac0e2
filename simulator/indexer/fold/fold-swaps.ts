import { applySwap } from '../../amm/swap.ts'
import { rememberSwap } from '../../chain/amm-journal.ts'
import type { ChainEvent, SwapEvent, SwapHop } from '../../chain/transaction.ts'
import { putEntry, rememberFields, removeEntry } from '../../undo-log.ts'
import { addTrade } from '../candles.ts'
import { countAppended } from '../history/history-log.ts'
import { logSwap, type SwapRecord } from '../history/swaps.ts'
import { logTrade } from '../history/trades.ts'
import { type IndexState, indexedPool } from '../index-state.ts'
import type { Folding } from './fold-block.ts'
import { touchPool } from './fold-pools.ts'

/** A swap, and for each pool on its way the trade, the price and the fees. */
export function foldSwap(state: IndexState, event: SwapEvent, folding: Folding): void {
  const swap: SwapRecord = {
    sequence: countAppended(state.swaps),
    block: folding.height,
    receiptIndex: folding.receiptIndex,
    swapId: event.swapId,
    user: event.user,
    recipient: event.recipient,
    hops: event.hops.map(({ pool, zeroForOne }) => ({ pool, zeroForOne })),
    tokenIn: event.tokenIn,
    tokenOut: event.tokenOut,
    inputAmount: event.amountIn,
    outputAmount: event.amountOut,
    amountRemaining: event.amountOut,
    isPrivate: event.isPrivate,
    nonce: event.nonce,
    executedAtMs: folding.timeMs,
    transaction: folding.transactionId,
    claimTx: null,
    claimedAtMs: null,
  }
  putEntry(state.journal, getPending(state, event.recipient), event.swapId, swap)
  for (const [hopIndex, hop] of event.hops.entries()) foldHop(state, hop, hopIndex, swap, folding)
  logSwap(state, swap)
}

/** A swap is claimed when nothing of its output remains. */
export function foldClaim(
  state: IndexState,
  { swapId, recipient, amountRemaining }: Extract<ChainEvent, { kind: 'outputClaimed' }>,
  { timeMs, transactionId }: Folding,
): void {
  const { journal } = state
  const pending = getPending(state, recipient)
  const swap = pending.get(swapId)
  if (!swap) throw new RangeError(`an event claims the swap ${swapId}, which no event executed`)
  if (amountRemaining > 0n) {
    rememberFields(journal, swap, { amountRemaining: swap.amountRemaining })
    swap.amountRemaining = amountRemaining
    return
  }
  const { amountRemaining: before, claimTx, claimedAtMs } = swap
  rememberFields(journal, swap, { amountRemaining: before, claimTx, claimedAtMs })
  swap.amountRemaining = amountRemaining
  swap.claimTx = transactionId
  swap.claimedAtMs = timeMs
  removeEntry(journal, pending, swapId)
}

/** An address without pending swaps keeps its entry, like one without balances. */
function getPending(state: IndexState, recipient: string): Map<string, SwapRecord> {
  const known = state.pendingByRecipient.get(recipient)
  if (known) return known
  const pending = new Map<string, SwapRecord>()
  putEntry(state.journal, state.pendingByRecipient, recipient, pending)
  return pending
}

function foldHop(
  state: IndexState,
  hop: SwapHop,
  hopIndex: number,
  swap: SwapRecord,
  folding: Folding,
): void {
  const { journal } = state
  const { height, timeMs, timeS, transactionId, receiptIndex, changed } = folding
  const { zeroForOne, amount0, amount1, sqrtPriceX96, tick, liquidity } = hop
  const pool = indexedPool(state, hop.pool)
  touchPool(journal, pool, changed)
  changed.traded.add(pool)
  rememberSwap(journal, pool.amm, hop, timeS)
  applySwap(pool.amm, hop, timeS)
  pool.balance0 += amount0
  pool.balance1 += amount1
  const { volume0Total: volume0Before, volume1Total: volume1Before } = pool
  addTrade(journal, pool.candles, { atMs: timeMs, sqrtPriceX96, volume0Before, volume1Before })
  pool.volume0Total += zeroForOne ? hop.amountIn : hop.amountOut
  pool.volume1Total += zeroForOne ? hop.amountOut : hop.amountIn
  const trade = {
    pool: pool.key,
    kind: 'swap' as const,
    block: height,
    receiptIndex,
    hopIndex,
    transaction: transactionId,
    user: swap.isPrivate ? null : swap.user,
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

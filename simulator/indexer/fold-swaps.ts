import { applySwap } from '../amm/swap.ts'
import type { ChainEvent, SwapEvent, SwapHop } from '../chain/event.ts'
import { addTrade } from './candle.ts'
import type { Folding } from './fold-block.ts'
import { addBalances } from './fold-pools.ts'
import { type IndexState, indexedPool, indexedToken } from './index-state.ts'
import { recordTrade } from './pool-history.ts'
import { priceText } from './price.ts'
import { logTrade } from './trade-log.ts'
import type { TradeView } from './views.ts'

export function foldSwap(state: IndexState, event: SwapEvent, folding: Folding): void {
  const { height, timeMs, transactionId, receiptIndex, changed } = folding
  const index = state.swaps.length
  state.swaps.push({
    id: `${height}-${receiptIndex}`,
    swapId: event.swapId,
    user: event.user,
    recipient: event.recipient,
    hops: event.hops.map(({ pool, zeroForOne }) => ({ pool, zeroForOne })),
    inputToken: indexedToken(state, event.tokenIn),
    outputToken: indexedToken(state, event.tokenOut),
    inputAmount: event.amountIn,
    outputAmount: event.amountOut,
    amountRemaining: event.amountOut,
    isPrivate: event.isPrivate,
    nonce: event.nonce,
    executedAtMs: timeMs,
    transaction: transactionId,
    claimTx: null,
    claimedAtMs: null,
    block: height,
  })
  state.swapIndexById.set(event.swapId, index)
  const pending = state.pendingByRecipient.get(event.recipient) ?? new Set()
  state.pendingByRecipient.set(event.recipient, pending.add(index))
  for (const [hopIndex, hop] of event.hops.entries()) {
    noteSwap(state, hop.pool, index)
    changed.moved.add(hop.pool)
    const trade = foldHop(state, hop, hopIndex, folding)
    changed.trades.push(trade)
    logTrade(indexedPool(state, hop.pool).trades, trade)
  }
}

/** A swap counts as claimed once nothing of its output remains. */
export function foldClaim(
  state: IndexState,
  { swapId, recipient, amountRemaining }: Extract<ChainEvent, { kind: 'outputClaimed' }>,
  { timeMs, transactionId }: Folding,
): void {
  const index = state.swapIndexById.get(swapId) ?? -1
  const swap = state.swaps[index]
  if (!swap) throw new RangeError(`an event claims the swap ${swapId}, which no event executed`)
  if (amountRemaining > 0n) {
    state.swaps[index] = { ...swap, amountRemaining }
    return
  }
  state.swaps[index] = { ...swap, amountRemaining, claimTx: transactionId, claimedAtMs: timeMs }
  const pending = state.pendingByRecipient.get(recipient)
  pending?.delete(index)
  if (pending?.size === 0) state.pendingByRecipient.delete(recipient)
}

function noteSwap(state: IndexState, pool: string, index: number): void {
  const indexes = state.swapIndexesByPool.get(pool)
  if (indexes) indexes.push(index)
  else state.swapIndexesByPool.set(pool, [index])
}

function foldHop(
  state: IndexState,
  hop: SwapHop,
  hopIndex: number,
  { height, timeMs, transactionId, receiptIndex }: Folding,
): TradeView {
  const pool = indexedPool(state, hop.pool)
  const { amount0, amount1, sqrtPriceX96, tick, liquidity } = hop
  const [volume0, volume1] = hop.zeroForOne ? [hop.amountIn, hop.amountOut] : [hop.amountOut, hop.amountIn]
  const trade = { atMs: timeMs, sqrtPriceX96, volume0, volume1 }
  applySwap(pool.amm, hop)
  addBalances(pool, amount0, amount1)
  recordTrade(pool.history, trade)
  pool.candle = addTrade(pool.candle, trade)
  return {
    id: `${height}-${receiptIndex}-${hopIndex}`,
    pool: hop.pool,
    kind: 'swap',
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
}

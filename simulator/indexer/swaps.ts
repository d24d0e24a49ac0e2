import type { Journal } from '../journal.ts'
import { HISTORY_LIMITS } from './history-limits.ts'
import {
  appendItem,
  countAppended,
  dropOldChunks,
  firstNumberNot,
  itemNumbered,
  logLength,
} from './history-log.ts'
import { type IndexedPool, type IndexState, indexedToken } from './index-state.ts'
import type { HopView, Page, SwapView } from './views.ts'

/** A swap as it is kept; a claim changes what remains of it. */
export type SwapRecord = {
  /** Its number in the log, and its place among an address's pending ones. */
  sequence: number
  block: number
  receiptIndex: number
  swapId: string
  user: string
  recipient: string
  hops: HopView[]
  tokenIn: string
  tokenOut: string
  inputAmount: bigint
  outputAmount: bigint
  amountRemaining: bigint
  isPrivate: boolean
  nonce: string
  executedAtMs: number
  transaction: string
  claimTx: string | null
  claimedAtMs: number | null
}

/** Notes a swap that goes through the pool. It is dropped with the swap itself: there is no limit of its own. */
export function logSwapOfPool(journal: Journal, pool: IndexedPool, sequence: number): void {
  appendItem(journal, pool.swaps, sequence, Number.POSITIVE_INFINITY)
}

/** Keeps the swap; those that become too old are dropped, and from their pools too. */
export function logSwap(state: IndexState, swap: SwapRecord): void {
  const { journal, swaps, pools } = state
  const dropped = appendItem(journal, swaps, swap, HISTORY_LIMITS.swaps)
  if (!dropped) return
  const touched = new Set(dropped.flatMap(({ hops }) => hops.map(({ pool }) => pool)))
  for (const key of touched) {
    const numbers = pools.get(key)?.swaps
    if (numbers) dropOldChunks(journal, numbers, (number) => number < swaps.dropped)
  }
}

/** Newest first, of all pools or of those that went through one. */
export function pageOfSwaps(
  state: IndexState,
  { pool, limit, offset }: { pool?: string; limit: number; offset: number },
): Page<SwapView> {
  const { swaps } = state
  const end = countAppended(swaps)
  const oldest = end - Math.min(logLength(swaps), HISTORY_LIMITS.swaps)
  const numbers = pool === undefined ? undefined : state.pools.get(pool)?.swaps
  if (pool !== undefined && !numbers) return { rows: [], total: 0 }
  const placeEnd = numbers ? countAppended(numbers) : end
  const placeFirst = numbers ? firstNumberNot(numbers, (number) => number < oldest) : oldest
  const rows: SwapView[] = []
  for (let place = placeEnd - 1 - offset; place >= placeFirst && rows.length < limit; place--) {
    const swap = itemNumbered(swaps, numbers ? (itemNumbered(numbers, place) ?? -1) : place)
    if (swap) rows.push(swapView(state, swap))
  }
  return { rows, total: placeEnd - placeFirst }
}

export function swapView(state: IndexState, swap: SwapRecord): SwapView {
  return {
    id: `${swap.block}-${swap.receiptIndex}`,
    swapId: swap.swapId,
    user: swap.user,
    recipient: swap.recipient,
    hops: swap.hops,
    inputToken: indexedToken(state, swap.tokenIn),
    outputToken: indexedToken(state, swap.tokenOut),
    inputAmount: swap.inputAmount,
    outputAmount: swap.outputAmount,
    amountRemaining: swap.amountRemaining,
    isPrivate: swap.isPrivate,
    nonce: swap.nonce,
    executedAtMs: swap.executedAtMs,
    transaction: swap.transaction,
    claimTx: swap.claimTx,
    claimedAtMs: swap.claimedAtMs,
    block: swap.block,
  }
}

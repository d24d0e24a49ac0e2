import { type Journal, putEntry } from '../../journal.ts'
import { type IndexState, indexedToken } from '../index-state.ts'
import type { HopView, SwapView } from '../views/trade-views.ts'
import type { Page } from '../views/views.ts'
import { HISTORY_LIMITS } from './history-limits.ts'
import {
  appendItem,
  countAppended,
  dropOldChunks,
  emptyLog,
  type HistoryLog,
  itemNumbered,
  logLength,
} from './history-log.ts'
import { newestFirst, newestOfBoth } from './newest-of-both.ts'
import { noSwaps, type SwapNumbers } from './swap-numbers.ts'

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

/** Keeps the swap; those that become too old are dropped, and from the lists that they are in too. */
export function logSwap(state: IndexState, swap: SwapRecord): void {
  const { journal, swaps } = state
  for (const list of listsOf(state, swap)) appendItem(journal, list, swap.sequence, Number.POSITIVE_INFINITY)
  const dropped = appendItem(journal, swaps, swap, HISTORY_LIMITS.swaps)
  if (!dropped) return
  const touched = new Set(dropped.flatMap((old) => listsOf(state, old)))
  for (const list of touched) dropOldChunks(journal, list, (number) => number < swaps.dropped)
}

/**
 * Newest first, of all pools or of those that went through one: the public ones, and of the private ones the viewer's own.
 * No swap is looked at but those of the page, whatever is hidden.
 */
export function pageOfSwaps(
  state: IndexState,
  { viewer, pool, limit, offset }: { viewer: string | null; pool?: string; limit: number; offset: number },
): Page<SwapView> {
  const { swaps } = state
  const oldest = countAppended(swaps) - Math.min(logLength(swaps), HISTORY_LIMITS.swaps)
  const newest = (numbers: SwapNumbers | undefined) =>
    newestFirst(pool === undefined ? numbers?.all : numbers?.byPool.get(pool), oldest)
  const everybodys = newest(state.publicSwaps)
  const own = newest(viewer === null ? undefined : state.privateSwaps.get(viewer))
  const rows = newestOfBoth(everybodys, own, { limit, offset }).flatMap((number) => {
    const swap = itemNumbered(swaps, number)
    return swap ? [swapView(state, swap)] : []
  })
  return { rows, total: everybodys.length + own.length }
}

/** The lists that a swap is in. */
function listsOf(state: IndexState, swap: SwapRecord): HistoryLog<number>[] {
  const { journal } = state
  return numbersOf(state, swap).flatMap(({ all, byPool }) => [
    all,
    ...swap.hops.map(({ pool }) => entryOf(journal, byPool, pool, emptyLog<number>)),
  ])
}

function numbersOf(state: IndexState, { isPrivate, user, recipient }: SwapRecord): SwapNumbers[] {
  const { journal, publicSwaps, privateSwaps } = state
  if (!isPrivate) return [publicSwaps]
  const own = entryOf(journal, privateSwaps, user, noSwaps)
  return recipient === user ? [own] : [own, entryOf(journal, privateSwaps, recipient, noSwaps)]
}

function entryOf<Value>(journal: Journal, map: Map<string, Value>, key: string, make: () => Value): Value {
  const known = map.get(key)
  if (known) return known
  const made = make()
  putEntry(journal, map, key, made)
  return made
}

/** A swap as readers see it. Who may see it is for the caller to check. */
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

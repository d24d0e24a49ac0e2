import { type Journal, putEntry } from '../../undo-log.ts'
import { type IndexState, indexedToken } from '../index-state.ts'
import type { HopView, SwapView } from '../views/trade-views.ts'
import type { Page } from '../views/views.ts'
import {
  appendItem,
  countAppended,
  dropOldChunks,
  emptyLog,
  firstNumberNot,
  HISTORY_LIMITS,
  type HistoryLog,
  itemNumbered,
  logLength,
  noSwaps,
  type SwapNumbers,
} from './history-log.ts'

/** A kept swap; a claim changes its remaining output. */
export type SwapRecord = {
  /** Its number in the log, and its index among an address's pending swaps. */
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

export function logSwap(state: IndexState, swap: SwapRecord): void {
  const { journal, swaps } = state
  forLogs(state, swap, (list) => appendItem(journal, list, swap.sequence, Number.POSITIVE_INFINITY))
  const dropped = appendItem(journal, swaps, swap, HISTORY_LIMITS.swaps)
  if (!dropped) return
  const touched = new Set<HistoryLog<number>>()
  for (const old of dropped) forLogs(state, old, (list) => touched.add(list))
  for (const list of touched) dropOldChunks(journal, list, (number) => number < swaps.dropped)
}

/**
 * Newest first, of all pools or of one: public swaps, and private ones of the viewer. Reads only the swaps of the page.
 */
export function pageSwaps(
  state: IndexState,
  { viewer, pool, limit, offset }: { viewer: string | null; pool?: string; limit: number; offset: number },
): Page<SwapView> {
  const { swaps } = state
  const oldest = countAppended(swaps) - Math.min(logLength(swaps), HISTORY_LIMITS.swaps)
  const newest = (numbers: SwapNumbers | undefined) =>
    newestFirst(pool === undefined ? numbers?.all : numbers?.byPool.get(pool), oldest)
  const publicSwaps = newest(state.publicSwaps)
  const own = newest(viewer === null ? undefined : state.privateSwaps.get(viewer))
  const rows = mergeNewest(publicSwaps, own, { limit, offset }).flatMap((number) => {
    const swap = itemNumbered(swaps, number)
    return swap ? [swapView(state, swap)] : []
  })
  return { rows, total: publicSwaps.length + own.length }
}

// Without lists, which every swap would leave as garbage.
function forLogs(state: IndexState, swap: SwapRecord, use: (log: HistoryLog<number>) => void): void {
  const { journal, publicSwaps, privateSwaps } = state
  const { isPrivate, user, recipient } = swap
  const own = isPrivate ? getOrCreate(journal, privateSwaps, user, noSwaps) : publicSwaps
  forLogsIn(journal, own, swap, use)
  if (isPrivate && recipient !== user)
    forLogsIn(journal, getOrCreate(journal, privateSwaps, recipient, noSwaps), swap, use)
}

function forLogsIn(
  journal: Journal,
  { all, byPool }: SwapNumbers,
  { hops }: SwapRecord,
  use: (log: HistoryLog<number>) => void,
): void {
  use(all)
  for (const { pool } of hops) use(getOrCreate(journal, byPool, pool, emptyLog<number>))
}

function getOrCreate<Value>(
  journal: Journal,
  map: Map<string, Value>,
  key: string,
  make: () => Value,
): Value {
  const known = map.get(key)
  if (known) return known
  const made = make()
  putEntry(journal, map, key, made)
  return made
}

/** A swap as readers see it. The caller checks who may see it. */
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

/** Descending numbers: index 0 is the newest. */
export type NewestFirst = { length: number; at(place: number): number }

/** The ascending numbers of a log from `oldest` on. */
export function newestFirst(log: HistoryLog<number> | undefined, oldest: number): NewestFirst {
  if (!log) return { length: 0, at: () => Number.NaN }
  const end = countAppended(log)
  return {
    length: end - firstNumberNot(log, (number) => number < oldest),
    at: (place) => itemNumbered(log, end - 1 - place) ?? Number.NaN,
  }
}

/**
 * A page of two disjoint lists as if they were one. Uses bisection, so that the last page costs hardly more than the
 * first.
 */
export function mergeNewest(
  one: NewestFirst,
  other: NewestFirst,
  { limit, offset }: { limit: number; offset: number },
): readonly number[] {
  const before = Math.min(offset, one.length + other.length)
  let placeOne = countFromOne(one, other, before)
  let placeOther = before - placeOne
  const numbers: number[] = []
  while (numbers.length < limit && (placeOne < one.length || placeOther < other.length)) {
    const isOne =
      placeOther >= other.length || (placeOne < one.length && one.at(placeOne) > other.at(placeOther))
    numbers.push(isOne ? one.at(placeOne++) : other.at(placeOther++))
  }
  return numbers
}

/** How many of the `count` newest of both belong to the first list. */
function countFromOne(one: NewestFirst, other: NewestFirst, count: number): number {
  let low = Math.max(0, count - other.length)
  let high = Math.min(count, one.length)
  while (low < high) {
    const middle = (low + high) >> 1
    // Too few of the first if its next one is newer than the last of the other.
    if (one.at(middle) > other.at(count - middle - 1)) low = middle + 1
    else high = middle
  }
  return low
}

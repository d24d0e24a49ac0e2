import { append, type Journal, rememberItems, setFields } from '../../undo-log.ts'
import type { CandleInterval } from '../candle-interval.ts'

/**
 * The newest items of a list that only grows. They stand in chunks, all full but the last, so that the oldest are dropped
 * a chunk at a time, which costs little and can be undone. An item's number counts from the first ever appended.
 */
export type HistoryLog<Item> = {
  /** How many items are gone: the number of the oldest one here. */
  dropped: number
  chunks: Item[][]
}

export const CHUNK_LENGTH = 128

/** A log without items; the first will have the number 0. */
export function emptyLog<Item>(): HistoryLog<Item> {
  return { dropped: 0, chunks: [] }
}

/** Appends the item and, where a chunk can go with `kept` items left, drops it; returns the chunk that went. */
export function appendItem<Item>(
  journal: Journal,
  log: HistoryLog<Item>,
  item: Item,
  kept: number,
): readonly Item[] | undefined {
  const { chunks } = log
  const last = chunks[chunks.length - 1]
  if (last && last.length < CHUNK_LENGTH) append(journal, last, item)
  else append(journal, chunks, [item])
  return logLength(log) >= kept + CHUNK_LENGTH ? dropChunk(journal, log) : undefined
}

/** How many items are here. */
export function logLength({ chunks }: HistoryLog<unknown>): number {
  const last = chunks[chunks.length - 1]
  return last ? (chunks.length - 1) * CHUNK_LENGTH + last.length : 0
}

/** How many were ever appended. */
export function countAppended(log: HistoryLog<unknown>): number {
  return log.dropped + logLength(log)
}

/** The item with this number; undefined where it is gone or not there yet. */
export function itemNumbered<Item>({ dropped, chunks }: HistoryLog<Item>, number: number): Item | undefined {
  const place = number - dropped
  return chunks[Math.floor(place / CHUNK_LENGTH)]?.[place % CHUNK_LENGTH]
}

/** The lowest number whose item is not before what is looked for: items that are before it stand before all others. */
export function firstNumberNot<Item>(log: HistoryLog<Item>, isBefore: (item: Item) => boolean): number {
  let low = log.dropped
  let high = countAppended(log)
  while (low < high) {
    const middle = (low + high) >> 1
    const item = itemNumbered(log, middle)
    if (item !== undefined && isBefore(item)) low = middle + 1
    else high = middle
  }
  return low
}

/** Drops the oldest chunks that hold nothing but old items. */
export function dropOldChunks<Item>(
  journal: Journal,
  log: HistoryLog<Item>,
  isOld: (item: Item) => boolean,
): void {
  for (;;) {
    const newest = log.chunks[0]?.[CHUNK_LENGTH - 1]
    if (newest === undefined || !isOld(newest)) return
    dropChunk(journal, log)
  }
}

function dropChunk<Item>(journal: Journal, log: HistoryLog<Item>): readonly Item[] | undefined {
  rememberItems(journal, log.chunks)
  setFields(journal, log, { dropped: log.dropped + CHUNK_LENGTH })
  return log.chunks.shift()
}

/**
 * How much history is kept; the oldest is dropped. Each interval keeps more candles than the window that is read from it
 * has (pools/pool-stats.ts), so that the last one before the window is always there.
 */
export const HISTORY_LIMITS = {
  /** Of all pools together. An output that waits to be claimed stays known when its swap is dropped. */
  swaps: 50_000,
  /** Of all pools together, and of each. */
  trades: 10_000,
  tradesPerPool: 1000,
  /** Of all addresses together: of ten thousand claims, as each gives three. */
  faucetRecords: 30_000,
  /** Twelve hours, two days, a week, thirty days, ninety days and a year of a pool that trades all the time. */
  candlesPerPool: { '1m': 720, '5m': 576, '15m': 672, '1h': 720, '4h': 540, '1d': 365 },
} satisfies {
  swaps: number
  trades: number
  tradesPerPool: number
  faucetRecords: number
  candlesPerPool: Record<CandleInterval, number>
}

/** Numbers of swaps in the log of all, ascending: all of a kind, and those of them that went through each pool. */
export type SwapNumbers = { all: HistoryLog<number>; byPool: Map<string, HistoryLog<number>> }

/** No swaps of the kind. */
export function noSwaps(): SwapNumbers {
  return { all: emptyLog(), byPool: new Map() }
}

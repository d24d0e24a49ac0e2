import { append, type Journal, rememberItems, setFields } from '../../undo-log.ts'
import type { CandleInterval } from '../candle-interval.ts'

/**
 * The newest items of a growing list. Chunks are all full except the last, so that the oldest items are dropped a chunk
 * at a time, which is cheap and can be undone. Items are numbered from the first one ever appended.
 */
export type HistoryLog<Item> = {
  /** Number of dropped items: the number of the oldest kept one. */
  dropped: number
  chunks: Item[][]
}

export const CHUNK_LENGTH = 128

export function emptyLog<Item>(): HistoryLog<Item> {
  return { dropped: 0, chunks: [] }
}

/** Appends the item. Drops the oldest chunk if at least `kept` items remain, and returns it. */
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

export function logLength({ chunks }: HistoryLog<unknown>): number {
  const last = chunks[chunks.length - 1]
  return last ? (chunks.length - 1) * CHUNK_LENGTH + last.length : 0
}

export function countAppended(log: HistoryLog<unknown>): number {
  return log.dropped + logLength(log)
}

/** Undefined if the item was dropped or does not exist yet. */
export function itemNumbered<Item>({ dropped, chunks }: HistoryLog<Item>, number: number): Item | undefined {
  const place = number - dropped
  return chunks[Math.floor(place / CHUNK_LENGTH)]?.[place % CHUNK_LENGTH]
}

/** Binary search: the lowest number whose item is not before the target. */
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
 * Limits of kept history. Each interval keeps more candles than the window read from it (pools/pool-figures.ts), so
 * that the last one before the window is always kept.
 */
export const HISTORY_LIMITS = {
  /** For all pools together. An unclaimed output outlives its dropped swap. */
  swaps: 50_000,
  /** For all pools together, and for each. */
  trades: 10_000,
  tradesPerPool: 1000,
  /** For all addresses together: ten thousand claims with three records each. */
  faucetRecords: 30_000,
  /** Twelve hours, two days, a week, thirty days, ninety days and a year of a pool that trades in every interval. */
  candlesPerPool: { '1m': 720, '5m': 576, '15m': 672, '1h': 720, '4h': 540, '1d': 365 },
} satisfies {
  swaps: number
  trades: number
  tradesPerPool: number
  faucetRecords: number
  candlesPerPool: Record<CandleInterval, number>
}

/** Ascending swap numbers of one kind: all, and those of each pool. */
export type SwapNumbers = { all: HistoryLog<number>; byPool: Map<string, HistoryLog<number>> }

export function noSwaps(): SwapNumbers {
  return { all: emptyLog(), byPool: new Map() }
}

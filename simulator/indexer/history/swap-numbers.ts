import { emptyLog, type HistoryLog } from './history-log.ts'

/** Numbers of swaps in the log of all, ascending: all of a kind, and those of them that went through each pool. */
export type SwapNumbers = { all: HistoryLog<number>; byPool: Map<string, HistoryLog<number>> }

/** No swaps of the kind. */
export function noSwaps(): SwapNumbers {
  return { all: emptyLog(), byPool: new Map() }
}

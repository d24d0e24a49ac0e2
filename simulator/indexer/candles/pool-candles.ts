import { type Journal, setItem } from '../../journal.ts'
import { CANDLE_INTERVALS, intervalStartMs } from '../candle-interval.ts'
import { HISTORY_LIMITS } from '../history/history-limits.ts'
import { appendItem, emptyLog, type HistoryLog } from '../history/history-log.ts'

/** An interval in which a pool traded. Its volume is what all volume so far grew by until the next one. */
export type Candle = {
  startMs: number
  openX96: bigint
  highX96: bigint
  lowX96: bigint
  closeX96: bigint
  /** All volume of the pool before the candle's first trade. */
  volume0Before: bigint
  volume1Before: bigint
}

/**
 * Candles by interval, in the order of CANDLE_INTERVALS. A trade touches the open minute alone. A candle that closes is
 * merged into the open one of the next interval: an open candle holds what the finer ones have closed since it began,
 * and whoever reads it adds the open finer ones (candle-series.ts).
 */
export type PoolCandles = {
  open: (Candle | null)[]
  closed: HistoryLog<Candle>[]
}

export type PricedTrade = { atMs: number; sqrtPriceX96: bigint; volume0Before: bigint; volume1Before: bigint }

/** A pool that has not traded. */
export function emptyCandles(): PoolCandles {
  return { open: CANDLE_INTERVALS.map(() => null), closed: CANDLE_INTERVALS.map(() => emptyLog()) }
}

/** The open minute changes in place: whoever keeps a journal remembers it before the block's first trade. */
export function addTrade(journal: Journal, candles: PoolCandles, trade: PricedTrade): void {
  const { sqrtPriceX96, volume0Before, volume1Before } = trade
  const startMs = intervalStartMs('1m', trade.atMs)
  const minute = candles.open[0]
  if (minute?.startMs === startMs) {
    if (sqrtPriceX96 > minute.highX96) minute.highX96 = sqrtPriceX96
    if (sqrtPriceX96 < minute.lowX96) minute.lowX96 = sqrtPriceX96
    minute.closeX96 = sqrtPriceX96
    return
  }
  if (minute) close(journal, candles, 0, minute)
  setItem(journal, candles.open, 0, {
    startMs,
    openX96: sqrtPriceX96,
    highX96: sqrtPriceX96,
    lowX96: sqrtPriceX96,
    closeX96: sqrtPriceX96,
    volume0Before,
    volume1Before,
  })
}

/** Two candles as one: the earlier one begins it. */
export function mergeCandles(earlier: Candle, later: Candle): Candle {
  const merged = { ...earlier, closeX96: later.closeX96 }
  if (later.highX96 > merged.highX96) merged.highX96 = later.highX96
  if (later.lowX96 < merged.lowX96) merged.lowX96 = later.lowX96
  return merged
}

/** Keeps the candle of the interval at `level`, and merges it into the next interval's open one or begins that with it. */
function close(journal: Journal, candles: PoolCandles, level: number, candle: Candle): void {
  const interval = CANDLE_INTERVALS[level]
  const log = candles.closed[level]
  if (!interval || !log) throw new RangeError(`no candle interval has the number ${level}`)
  appendItem(journal, log, candle, HISTORY_LIMITS.candlesPerPool[interval])
  const coarser = CANDLE_INTERVALS[level + 1]
  if (!coarser) return
  const startMs = intervalStartMs(coarser, candle.startMs)
  const open = candles.open[level + 1]
  if (open?.startMs === startMs) {
    setItem(journal, candles.open, level + 1, mergeCandles(open, candle))
    return
  }
  if (open) close(journal, candles, level + 1, open)
  setItem(journal, candles.open, level + 1, { ...candle, startMs })
}

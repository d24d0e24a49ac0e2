import { CANDLE_INTERVALS, type CandleInterval, intervalStartMs } from '../candle-interval.ts'
import { HISTORY_LIMITS } from '../history/history-limits.ts'
import { countAppended, firstNumberNot, type HistoryLog, itemNumbered } from '../history/history-log.ts'
import { type Candle, mergeCandles, type PoolCandles } from './pool-candles.ts'

/** The candles of one interval as readers see them: oldest first, numbered through, the oldest of the kept ones `first`. */
export type CandleSeries = {
  first: number
  /** One beyond the newest. */
  end: number
  at(number: number): Candle | undefined
  /** The lowest number of a candle that begins at this moment or later; `end` where none does. */
  firstFrom(startMs: number): number
}

/** The candles of an interval: those that are closed, and the one that is open. */
export function candleSeries(candles: PoolCandles, interval: CandleInterval): CandleSeries {
  const level = CANDLE_INTERVALS.indexOf(interval)
  const log = candles.closed[level] as HistoryLog<Candle> // as: there is one for each interval
  const open = openCandles(candles, interval, level)
  const closedEnd = countAppended(log)
  const end = closedEnd + open.length
  const at = (number: number) => (number < closedEnd ? itemNumbered(log, number) : open[number - closedEnd])
  return {
    first: Math.max(log.dropped, end - HISTORY_LIMITS.candlesPerPool[interval]),
    end,
    at,
    firstFrom(startMs) {
      const found = open.findIndex((candle) => candle.startMs >= startMs)
      if (found !== 0) return found < 0 ? end : closedEnd + found
      return firstNumberNot(log, (candle) => candle.startMs < startMs)
    },
  }
}

/**
 * What has not closed yet: this interval's open candle, then the finer ones', which are younger the finer they are. Each
 * falls into the interval of the one before it, or begins another.
 */
function openCandles({ open }: PoolCandles, interval: CandleInterval, level: number): readonly Candle[] {
  const merged: Candle[] = []
  for (let finer = level; finer >= 0; finer--) {
    const candle = open[finer]
    if (!candle) continue
    const startMs = intervalStartMs(interval, candle.startMs)
    const last = merged[merged.length - 1]
    if (last?.startMs === startMs) merged[merged.length - 1] = mergeCandles(last, candle)
    else merged.push({ ...candle, startMs })
  }
  return merged
}

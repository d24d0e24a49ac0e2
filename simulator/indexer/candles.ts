import { type Journal, setItem } from '../undo-log.ts'
import { CANDLE_INTERVALS, type CandleInterval, intervalStartMs } from './candle-interval.ts'
import {
  appendItem,
  countAppended,
  emptyLog,
  firstNumberNot,
  HISTORY_LIMITS,
  type HistoryLog,
  itemNumbered,
} from './history/history-log.ts'
import type { IndexedPool } from './index-state.ts'
import { priceText } from './price.ts'
import type { CandlesQuery, CandleView } from './views/trade-views.ts'
import type { Page } from './views/views.ts'

/** A candle with its volume: from its first trade to the next candle's. */
export type FilledCandle = Candle & { volume0: bigint; volume1: bigint }

/** Newest first; only intervals with a trade have one. */
export function pageCandles(pool: IndexedPool | undefined, query: CandlesQuery): Page<CandleView> {
  if (!pool) return { rows: [], total: 0 }
  const { interval, limit, offset, fromMs, toMs } = query
  const series = candleSeries(pool.candles, interval)
  const first = fromMs === undefined ? series.first : Math.max(series.first, series.firstFrom(fromMs))
  const end = toMs === undefined ? series.end : series.firstFrom(toMs)
  const rows: CandleView[] = []
  for (let number = end - 1 - offset; number >= first && rows.length < limit; number--) {
    const candle = series.at(number)
    if (candle) rows.push(candleView(pool, interval, filled(pool, candle, series.at(number + 1))))
  }
  return { rows, total: Math.max(0, end - first) }
}

/** The candles that the index keeps, oldest first. */
export function listKeptCandles(pool: IndexedPool, interval: CandleInterval): readonly FilledCandle[] {
  const series = candleSeries(pool.candles, interval)
  const candles: FilledCandle[] = []
  for (let number = series.first; number < series.end; number++) {
    const candle = series.at(number)
    if (candle) candles.push(filled(pool, candle, series.at(number + 1)))
  }
  return candles
}

/** A copy of the minute of the pool's last trade so far. */
export function openMinute(pool: IndexedPool): FilledCandle {
  const minute = pool.candles.open[0]
  if (!minute) throw new RangeError(`the pool ${pool.key} has no trades`)
  return filled(pool, minute, undefined)
}

export function candleView(
  { key, token0, token1 }: IndexedPool,
  interval: CandleInterval,
  candle: FilledCandle,
): CandleView {
  const text = (sqrtPriceX96: bigint) => priceText(sqrtPriceX96, token0, token1)
  return {
    pool: key,
    interval,
    startMs: candle.startMs,
    open: text(candle.openX96),
    high: text(candle.highX96),
    low: text(candle.lowX96),
    close: text(candle.closeX96),
    volume0: candle.volume0,
    volume1: candle.volume1,
  }
}

function filled(pool: IndexedPool, candle: Candle, next: Candle | undefined): FilledCandle {
  const { startMs, openX96, highX96, lowX96, closeX96, volume0Before, volume1Before } = candle
  return {
    startMs,
    openX96,
    highX96,
    lowX96,
    closeX96,
    volume0Before,
    volume1Before,
    volume0: (next ? next.volume0Before : pool.volume0Total) - volume0Before,
    volume1: (next ? next.volume1Before : pool.volume1Total) - volume1Before,
  }
}

/** The candles of one interval as readers see them: oldest first, numbered from `first`, the oldest kept one. */
export type CandleSeries = {
  first: number
  /** One past the newest. */
  end: number
  at(number: number): Candle | undefined
  /** The lowest number of a candle that starts at this time or later; `end` if no candle does. */
  firstFrom(startMs: number): number
}

export function candleSeries(candles: PoolCandles, interval: CandleInterval): CandleSeries {
  const level = CANDLE_INTERVALS.indexOf(interval)
  const log = candles.closed[level] as HistoryLog<Candle> // as: one per interval
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
 * Open candles: that of this interval, then the finer ones, each younger than the one before. Each one falls into the
 * interval of the previous one, or starts another.
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

/** An interval in which a pool traded. Its volume is the growth of the total until the next candle. */
export type Candle = {
  startMs: number
  openX96: bigint
  highX96: bigint
  lowX96: bigint
  closeX96: bigint
  /** Total volume of the pool before the candle's first trade. */
  volume0Before: bigint
  volume1Before: bigint
}

/**
 * Candles by interval, in the order of CANDLE_INTERVALS. A trade changes only the open minute. A closed candle is
 * merged into the open one of the next interval: an open candle includes the finer ones closed since its start, and
 * readers add the open finer ones.
 */
export type PoolCandles = {
  open: (Candle | null)[]
  closed: HistoryLog<Candle>[]
}

type PricedTrade = { atMs: number; sqrtPriceX96: bigint; volume0Before: bigint; volume1Before: bigint }

export function emptyCandles(): PoolCandles {
  return { open: CANDLE_INTERVALS.map(() => null), closed: CANDLE_INTERVALS.map(() => emptyLog()) }
}

/** Changes the open minute in place: with a journal, record it before the block's first trade. */
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
  // A copy, since undoing makes the original open and thus mutable again: closed candles never change.
  if (minute) close(journal, candles, 0, { ...minute })
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

function mergeCandles(earlier: Candle, later: Candle): Candle {
  const merged = { ...earlier, closeX96: later.closeX96 }
  if (later.highX96 > merged.highX96) merged.highX96 = later.highX96
  if (later.lowX96 < merged.lowX96) merged.lowX96 = later.lowX96
  return merged
}

/**
 * Keeps the candle of the interval at `level`, and merges it into the next interval's open one or starts that with it.
 */
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

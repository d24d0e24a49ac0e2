import { OWN_ROUTE_GROUPS, type SeriesPoint } from '../../contract/series.ts'
import type { Line } from '../run-file.ts'
import { BUCKET_INDEX_MAX, HISTOGRAM_SCALE, type HistogramPart } from '../statistics/histogram.ts'

export const SERIES_FORMAT = 1

/** What a line of series.ndjson turned out to be. Nothing is read behind an end, or behind damage, which is a sentence. */
export type LineRead =
  | { kind: 'header'; start: string; k6: string }
  | { kind: 'point'; point: SeriesPoint }
  | { kind: 'unneeded'; time: number }
  | { kind: 'end' }
  | { kind: 'damage'; damage: string }

/** The first line of a file; `file` is its name in messages. */
export function readHeader({ text }: Line, file: string): LineRead {
  const { type, format, scale, start, k6 } = parseObject(text)
  if (type !== 'header') return damaged(`${file} does not begin with a header: it was not read.`)
  if (format !== SERIES_FORMAT || scale !== HISTOGRAM_SCALE) {
    return damaged(
      `${file} has format ${format}, scale ${scale}; this version reads format ${SERIES_FORMAT}, scale ${HISTOGRAM_SCALE}: it was not read.`,
    )
  }
  return { kind: 'header', start: String(start), k6: String(k6) }
}

/**
 * Any other line. Of the metrics that are not needed, only name and second are read: parsing is most of the time that a
 * report takes.
 */
export function readPoint(line: Line, file: string, isNeeded?: (metric: string) => boolean): LineRead {
  const [, time, metric] = (isNeeded && TIME_AND_METRIC.exec(line.text)) ?? []
  if (metric !== undefined && !isNeeded?.(metric) && isSecond(Number(time)) && line.text.endsWith('}')) {
    return { kind: 'unneeded', time: Number(time) }
  }
  const parsed = parseObject(line.text)
  if (parsed.type === 'end') return { kind: 'end' }
  return isSeriesPoint(parsed) ? { kind: 'point', point: parsed } : damaged(describeDamage(line, file))
}

/** As the k6 output writes lines: the metric stands before the tags, and quotes inside any text are escaped. */
const TIME_AND_METRIC = /^\{"time":(\d+),"metric":"([^"\\]*)"/

/** The object that a line holds; an empty one where it holds none. */
function parseObject(text: string): Record<string, unknown> {
  try {
    const parsed: unknown = JSON.parse(text)
    return typeof parsed === 'object' && parsed !== null ? (parsed as Record<string, unknown>) : {} // as: an object
  } catch {
    return {}
  }
}

function damaged(damage: string): LineRead {
  return { kind: 'damage', damage }
}

function describeDamage({ number, terminated }: Line, file: string): string {
  return terminated
    ? `${file} is damaged at line ${number}: that line and all after it were not read.`
    : `${file} breaks off in the middle of line ${number}: that line was not read.`
}

/** By hand, not with zod: this looks at every line of a file that may have millions. */
function isSeriesPoint(value: unknown): value is SeriesPoint {
  if (typeof value !== 'object' || value === null) return false
  const point = value as Partial<Record<keyof SeriesPoint, unknown>> // as: each field is checked below
  return (
    isSecond(point.time) &&
    typeof point.metric === 'string' &&
    isCount(point.count) &&
    Number.isFinite(point.sum) &&
    isTags(point.tags) &&
    (point.type === 'trend' ? isTrend(point) : true)
  )
}

/** In Unix time, and one that a date can tell. */
function isSecond(value: unknown): value is number {
  return isCount(value) && value <= SECOND_MAX
}

const SECOND_MAX = 8.64e12

function isTrend(point: Partial<Record<keyof SeriesPoint, unknown>>): boolean {
  return (
    Number.isFinite(point.min) &&
    Number.isFinite(point.max) &&
    isCount(point.zero) &&
    areBuckets(point.buckets) &&
    (point.negative === undefined || areBuckets(point.negative))
  )
}

/** Whether it is an object of strings. */
function isTags(tags: unknown): boolean {
  if (typeof tags !== 'object' || tags === null) return false
  for (const value of Object.values(tags)) if (typeof value !== 'string') return false
  return true
}

/** By rising index. */
function areBuckets(buckets: unknown): boolean {
  if (!Array.isArray(buckets)) return false
  let before = -BUCKET_INDEX_MAX - 1
  for (const bucket of buckets) {
    if (!Array.isArray(bucket) || !Number.isInteger(bucket[0]) || !isCount(bucket[1])) return false
    if (bucket[0] <= before || bucket[0] > BUCKET_INDEX_MAX) return false
    before = bucket[0]
  }
  return true
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0 // as: the check before says that it is a number
}

/** The samples of a trend in one second. */
export function partOf({
  count,
  min = 0,
  max = 0,
  zero = 0,
  buckets = [],
  negative,
}: SeriesPoint): HistogramPart {
  return { count, min, max, zero, buckets, ...(negative === undefined ? {} : { negative }) }
}

/** Whether a point is of what a scenario asks of the stub's control API, or of a signer: it says nothing about the target. */
export function isOwn({ tags }: SeriesPoint): boolean {
  return tags.route_group !== undefined && OWN.has(tags.route_group)
}

const OWN: ReadonlySet<string> = new Set(OWN_ROUTE_GROUPS)

/** A part of a run's series: one trial of it, or all; and the Unix seconds from, and up to but not including. */
export type Slice = { trial: number | null; from: number | null; to: number | null }

export const WHOLE: Slice = { trial: null, from: null, to: null }

/** Whether a point is of the slice's trial; a slice without one takes them all. */
export function isOfTrial({ trial }: Slice, { tags }: SeriesPoint): boolean {
  return trial === null || tags.trial === String(trial)
}

/** Whether a Unix second lies in the slice: `from` does, `to` does not. */
export function isWithin({ from, to }: Slice, second: number): boolean {
  return (from === null || second >= from) && (to === null || second < to)
}

import { HEARTBEAT } from '../../contract/scenario-config.ts'
import { OWN_ROUTE_GROUPS, type SeriesPoint } from '../../contract/series.ts'
import type { Line } from '../run-lines.ts'
import { BUCKET_INDEX_MAX, HISTOGRAM_SCALE, type HistogramPart } from '../statistics/histogram.ts'
import type { LineParser } from './parse-line.ts'

export const SERIES_FORMAT = 2
/** Lacks SINCE_DUE and LATENESS. */
const OLD_FORMAT = 1

/** A parsed line of series.ndjson. Nothing is read after an end or after damage, which is a sentence. */
export type LineRead =
  | { kind: 'header'; start: string; k6: string; isOld: boolean }
  | { kind: 'point'; point: SeriesPoint }
  | { kind: 'unneeded'; time: number }
  /** A value too large or too small for a histogram, such as 1e20. */
  | { kind: 'beyond'; time: number; metric: string; note: string }
  | { kind: 'end' }
  | { kind: 'damage'; damage: string }

export function readHeader({ text }: Line, file: string): LineRead {
  const { type, format, scale, start, k6 } = parseObject(text)
  if (type !== 'header') return damaged(`${file} does not begin with a header: it was not read.`)
  const isOld = format === OLD_FORMAT
  if ((format !== SERIES_FORMAT && !isOld) || scale !== HISTOGRAM_SCALE) {
    return damaged(
      `${file} has format ${format}, scale ${scale}; this version reads formats ${OLD_FORMAT} and ${SERIES_FORMAT}, scale ${HISTOGRAM_SCALE}: it was not read.`,
    )
  }
  return { kind: 'header', start: String(start), k6: String(k6), isOld }
}

/**
 * Parses lines after the header. For metrics that are not needed, it reads only name and second, because parsing
 * takes most of the time of a report. `parse` is the fast path for lines of a file.
 */
export function readPoint(
  line: Line,
  file: string,
  isNeeded?: (metric: string) => boolean,
  parse?: LineParser,
): LineRead {
  const read = line.bytes && parse?.(line.bytes, isNeeded ?? ALL)
  if (read) return read
  const [, time, metric] = (isNeeded && TIME_AND_METRIC.exec(line.text)) ?? []
  if (metric !== undefined && !isNeeded?.(metric) && isSecond(Number(time)) && line.text.endsWith('}')) {
    return { kind: 'unneeded', time: Number(time) }
  }
  const parsed = parseObject(line.text)
  if (parsed.type === 'end') return { kind: 'end' }
  if (!isSeriesPoint(parsed)) return damaged(describeDamage(line, file))
  if (areWithin(parsed.buckets) && areWithin(parsed.negative)) return { kind: 'point', point: parsed }
  const note = `${file} has values of ${JSON.stringify(parsed.metric)} beyond 2^64 or 2^-64 at line ${line.number}: no such line was read.`
  return { kind: 'beyond', time: parsed.time, metric: parsed.metric, note }
}

const ALL = () => true

/** The format of the k6 output: the metric precedes the tags, and quotes inside texts are escaped. */
const TIME_AND_METRIC = /^\{"time":(\d+),"metric":"([^"\\]*)"/

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

/** By hand instead of zod, because a file can have millions of lines. */
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

/** A Unix time that Date can represent. */
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

function isTags(tags: unknown): boolean {
  if (typeof tags !== 'object' || tags === null) return false
  for (const value of Object.values(tags)) if (typeof value !== 'string') return false
  return true
}

/** By rising index. */
function areBuckets(buckets: unknown): boolean {
  if (!Array.isArray(buckets)) return false
  let before = Number.NEGATIVE_INFINITY
  for (const bucket of buckets) {
    if (!Array.isArray(bucket) || !Number.isInteger(bucket[0]) || !isCount(bucket[1])) return false
    if (bucket[0] <= before) return false
    before = bucket[0]
  }
  return true
}

/** Indexes rise. */
function areWithin(buckets: SeriesPoint['buckets'] = []): boolean {
  const [first = 0] = buckets[0] ?? []
  const [last = 0] = buckets.at(-1) ?? []
  return first >= -BUCKET_INDEX_MAX && last <= BUCKET_INDEX_MAX
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0 // as: the check before says that it is a number
}

export function toHistogramPart({
  count,
  min = 0,
  max = 0,
  zero = 0,
  buckets = [],
  negative,
}: SeriesPoint): HistogramPart {
  return { count, min, max, zero, buckets, ...(negative === undefined ? {} : { negative }) }
}

/** Requests to the stub's control API or to a signer, and heartbeats, are not about the target. */
export function isOwn({ tags }: SeriesPoint): boolean {
  if (tags.scenario === HEARTBEAT) return true
  return tags.route_group !== undefined && OWN.has(tags.route_group)
}

const OWN: ReadonlySet<string> = new Set(OWN_ROUTE_GROUPS)

/** One trial of a run, or all of it; Unix seconds, `to` is exclusive. */
export type Slice = { trial: number | null; from: number | null; to: number | null }

export const WHOLE: Slice = { trial: null, from: null, to: null }

export function isInTrial({ trial }: Slice, { tags }: SeriesPoint): boolean {
  return trial === null || tags.trial === String(trial)
}

export function isWithin({ from, to }: Slice, second: number): boolean {
  return (from === null || second >= from) && (to === null || second < to)
}

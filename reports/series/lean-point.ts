import type { Bucket, SeriesPoint } from '../../contract/series.ts'
import { BUCKET_INDEX_MAX, type BucketList, createBucketList, setBuckets } from '../statistics/histogram.ts'
import { type Cursor, readCount, readNumber, skip } from './bytes.ts'
import { isSecond } from './point.ts'

/** The figures of a line, in a place that each line is read into anew. NaN is what a line does not tell. */
export type LeanPoint = {
  count: number
  sum: number
  min: number
  max: number
  last: number
  zero: number
  buckets: BucketList
  negative: BucketList
}

/** A place for the figures of lines. */
export function createLeanPoint(): LeanPoint {
  return {
    count: 0,
    sum: 0,
    min: Number.NaN,
    max: Number.NaN,
    last: Number.NaN,
    zero: Number.NaN,
    buckets: createBucketList(),
    negative: createBucketList(),
  }
}

const NONE: readonly Bucket[] = []

/** Takes over what a point tells. */
export function setPoint(lean: LeanPoint, point: SeriesPoint): void {
  const isTrend = point.type === 'trend'
  lean.count = point.count
  lean.sum = point.sum
  lean.min = numberOf(point.min)
  lean.max = numberOf(point.max)
  lean.last = numberOf(point.last)
  lean.zero = isTrend ? numberOf(point.zero) : Number.NaN
  setBuckets(lean.buckets, (isTrend && point.buckets) || NONE)
  setBuckets(lean.negative, (isTrend && point.negative) || NONE)
}

/** Only of trends has it been looked at whether these are numbers. */
function numberOf(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) ? value : Number.NaN
}

// The lines of k6's output as bytes, without making objects of them: of some million lines, that is most of the time. What reads
// here answers false, or -1, wherever a line is not exactly as that output writes it; it may be right all the same.

const TIME = Buffer.from('{"time":')
const SUM = Buffer.from(',"sum":')
const MIN = Buffer.from(',"min":')
const MAX = Buffer.from(',"max":')
const LAST = Buffer.from(',"last":')
const ZERO = Buffer.from(',"zero":')
const BUCKETS = Buffer.from(',"buckets":[')
const NEGATIVE = Buffer.from(',"negative":[')
const LINE_END = Buffer.from('}\n')
const COMMA = Buffer.from(',')

const MINUS = 0x2d
const OPEN = 0x5b
const CLOSE = 0x5d
const COMMA_BYTE = 0x2c

/** The Unix second that a line begins with; the cursor then stands at its metric. */
export function readTime(cursor: Cursor): number {
  if (!skip(cursor, TIME)) return -1
  const time = readCount(cursor)
  return time !== -1 && isSecond(time) && skip(cursor, COMMA) ? time : -1
}

/** From the count on to the end of the line. */
export function readFigures(cursor: Cursor, type: string, point: LeanPoint): boolean {
  point.count = readCount(cursor)
  if (point.count === -1 || !skip(cursor, SUM)) return false
  point.sum = readNumber(cursor)
  if (!Number.isFinite(point.sum)) return false
  point.min = Number.NaN
  point.max = Number.NaN
  point.last = Number.NaN
  point.zero = Number.NaN
  point.buckets.length = 0
  point.negative.length = 0
  const isRead =
    type === 'trend' ? readTrend(cursor, point) : type === 'gauge' ? readGauge(cursor, point) : true
  return isRead && skip(cursor, LINE_END)
}

function readGauge(cursor: Cursor, point: LeanPoint): boolean {
  if (!readRange(cursor, point) || !skip(cursor, LAST)) return false
  point.last = readNumber(cursor)
  return Number.isFinite(point.last)
}

function readTrend(cursor: Cursor, point: LeanPoint): boolean {
  if (!readRange(cursor, point) || !skip(cursor, ZERO)) return false
  point.zero = readCount(cursor)
  if (point.zero === -1 || !skip(cursor, BUCKETS) || !readBuckets(cursor, point.buckets)) return false
  return !skip(cursor, NEGATIVE) || readBuckets(cursor, point.negative)
}

function readRange(cursor: Cursor, point: LeanPoint): boolean {
  if (!skip(cursor, MIN)) return false
  point.min = readNumber(cursor)
  if (!skip(cursor, MAX)) return false
  point.max = readNumber(cursor)
  return Number.isFinite(point.min) && Number.isFinite(point.max)
}

/** Behind the bracket that opens them, up to behind the one that closes them. */
function readBuckets(cursor: Cursor, list: BucketList): boolean {
  const { bytes } = cursor
  const { indexes, counts } = list
  let before = -BUCKET_INDEX_MAX - 1
  let length = 0
  if (bytes[cursor.at] !== CLOSE) {
    for (;;) {
      if (bytes[cursor.at] !== OPEN) return false
      const isNegative = bytes[cursor.at + 1] === MINUS
      cursor.at += isNegative ? 2 : 1
      const distance = readCount(cursor)
      const index = isNegative ? -distance : distance
      if (distance === -1 || index <= before || index > BUCKET_INDEX_MAX) return false
      if (bytes[cursor.at] !== COMMA_BYTE) return false
      cursor.at += 1
      const count = readCount(cursor)
      if (count === -1 || bytes[cursor.at] !== CLOSE) return false
      cursor.at += 1
      indexes[length] = index
      counts[length] = count
      length += 1
      before = index
      if (bytes[cursor.at] !== COMMA_BYTE) break
      cursor.at += 1
    }
    if (bytes[cursor.at] !== CLOSE) return false
  }
  cursor.at += 1
  list.length = length
  return true
}

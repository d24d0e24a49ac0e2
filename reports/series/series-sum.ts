import { addBucketList, type BucketCounts, createBucketCounts } from '../statistics/bucket-counts.ts'
import type { LeanPoint } from './lean-point.ts'

/** What the lines of one series add up to in the second that is being read. */
export type SeriesSum = Pick<LeanPoint, 'count' | 'sum' | 'min' | 'max' | 'last' | 'zero'> & {
  /** Its key, as it stands in a line. */
  text: string
  bytes: Buffer
  isTrend: boolean
  lines: number
  buckets: BucketCounts
  negative: BucketCounts
}

/** Of no line yet; `text` is its key. */
export function createSum(text: string, isTrend: boolean): SeriesSum {
  return {
    text,
    bytes: Buffer.from(text),
    isTrend,
    lines: 0,
    count: 0,
    sum: 0,
    min: Number.NaN,
    max: Number.NaN,
    last: Number.NaN,
    zero: Number.NaN,
    buckets: createBucketCounts(),
    negative: createBucketCounts(),
  }
}

/** Adds a line, exactly, as bucket counts add up. Of gauges, `last` is that of the later line: of several load generators, that of the one named last. */
export function addLine(to: SeriesSum, point: LeanPoint): void {
  if (to.lines === 0) {
    to.count = point.count
    to.sum = point.sum
    to.min = point.min
    to.max = point.max
    to.last = point.last
    to.zero = point.zero
  } else {
    to.count += point.count
    to.sum = finite(to.sum + point.sum)
    to.min = Number.isNaN(to.min) || point.min < to.min ? point.min : to.min
    to.max = Number.isNaN(to.max) || point.max > to.max ? point.max : to.max
    to.last = Number.isNaN(point.last) ? to.last : point.last
    to.zero += point.zero
  }
  to.lines += 1
  if (point.buckets.length > 0) addBucketList(to.buckets, point.buckets)
  if (point.negative.length > 0) addBucketList(to.negative, point.negative)
}

/** Of no line again. */
export function clearSum(sum: SeriesSum): void {
  sum.lines = 0
  sum.buckets.counts.fill(0)
  sum.negative.counts.fill(0)
}

/** A sum that overflows stays within what JSON can say. */
function finite(sum: number): number {
  return Math.max(-Number.MAX_VALUE, Math.min(Number.MAX_VALUE, sum))
}

import type { Bucket, SeriesPoint } from '../../contract/series.ts'
import { type BucketList, createBucketList, setBuckets } from '../statistics/bucket-list.ts'

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

import type { SeriesPoint } from '../../contract/series.ts'
import { BUCKET_INDEX_MAX } from '../statistics/bucket-list.ts'

/** By hand, not with zod: this looks at every line of a file that may have millions. */
export function isSeriesPoint(value: unknown): value is SeriesPoint {
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
export function isSecond(value: unknown): value is number {
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
export function isTags(tags: unknown): boolean {
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

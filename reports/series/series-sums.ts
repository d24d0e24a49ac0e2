import type { Bucket, SeriesPoint } from '../../contract/series.ts'
import { addBuckets, type BucketCounts, createBucketCounts } from '../statistics/histogram.ts'

export type SeriesSums = {
  /** Exact, because bucket counts add up. For gauges, `last` is that of the point added last. */
  add(point: SeriesPoint): void
  /** The lines in the format and order of k6's output, and their number of samples. Resets the sums. */
  takeLines(second: number): { text: string; samples: number }
}

/** Series that differ only by tags in `without` become one. */
export function createSeriesSums({ without }: { without: ReadonlySet<string> }): SeriesSums {
  const sums = new Map<string, SeriesSum>()
  return {
    add(point) {
      const key = buildKey(point, without)
      let sum = sums.get(key)
      if (sum === undefined) {
        sum = createSum(point, without)
        sums.set(key, sum)
      }
      addPoint(sum, point)
    },
    takeLines(second) {
      const all = [...sums.values()]
      sums.clear()
      return {
        text: all
          .map((sum) => formatLine(sum, second))
          .sort()
          .join(''),
        samples: all.reduce((samples, { count }) => samples + count, 0),
      }
    },
  }
}

/**
 * Includes the length of each text, so that keys are unique. k6 sorts tags by name; a file from another source may
 * have several keys, and so several lines, for a series, which readers add up.
 */
function buildKey({ metric, type, contains, tags }: SeriesPoint, without: ReadonlySet<string>): string {
  let key = `${type} ${metric.length} ${metric}${contains}`
  for (const name in tags) {
    const value = tags[name] ?? ''
    if (!without.has(name)) key += ` ${name.length} ${value.length} ${name}${value}`
  }
  return key
}

type SeriesSum = Omit<SeriesPoint, 'time' | 'buckets' | 'negative'> & {
  buckets: BucketCounts
  negative: BucketCounts
}

function createSum({ metric, type, contains, tags }: SeriesPoint, without: ReadonlySet<string>): SeriesSum {
  return {
    metric,
    type,
    contains,
    tags: Object.fromEntries(
      Object.entries(tags)
        .filter(([name]) => !without.has(name))
        .sort(),
    ),
    count: 0,
    sum: 0,
    buckets: createBucketCounts(),
    negative: createBucketCounts(),
  }
}

function addPoint(to: SeriesSum, { count, sum, min, max, last, zero, buckets, negative }: SeriesPoint): void {
  to.count += count
  to.sum = finite(to.sum + sum)
  if (isNumber(min)) to.min = Math.min(to.min ?? min, min)
  if (isNumber(max)) to.max = Math.max(to.max ?? max, max)
  if (isNumber(last)) to.last = last
  if (to.type !== 'trend') return
  to.zero = (to.zero ?? 0) + (zero ?? 0)
  addBuckets(to.buckets, buckets ?? [])
  addBuckets(to.negative, negative ?? [])
}

/** Only the fields of trends have been checked. */
function isNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value)
}

function finite(sum: number): number {
  return Math.max(-Number.MAX_VALUE, Math.min(Number.MAX_VALUE, sum))
}

function formatLine(of: SeriesSum, second: number): string {
  const { metric, type, contains, tags, count, sum, min, max, last, zero } = of
  const negative = storedBuckets(of.negative)
  const point = {
    ...{ time: second, metric, type, contains, tags, count, sum, min, max, last, zero },
    ...(type === 'trend' && { buckets: storedBuckets(of.buckets) }),
    ...(negative.length > 0 && { negative }),
  }
  return `${JSON.stringify(point)}\n`
}

/** By rising index, without empty buckets. */
function storedBuckets({ first, counts }: BucketCounts): Bucket[] {
  const buckets: Bucket[] = []
  for (let position = 0; position < counts.length; position += 1) {
    const count = counts[position] ?? 0
    if (count > 0) buckets.push([first + position, count])
  }
  return buckets
}

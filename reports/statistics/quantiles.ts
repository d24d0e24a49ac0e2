import type { BucketCounts } from './bucket-counts.ts'
import { bucketMiddle, type Histogram, rankOf } from './histogram.ts'

/**
 * Several quantiles, by rising quantile, in one pass over the buckets: each the same as `quantileOf` answers. Undefined where
 * there are no samples. A report has tens of thousands of them.
 */
export function quantilesOf(
  histogram: Histogram,
  quantiles: readonly number[],
): readonly number[] | undefined {
  const { count, infinite, zero, positive, negative, min, max } = histogram
  if (count === 0) return undefined
  const ranks = quantiles.map((quantile) => rankOf(quantile, count))
  const values: number[] = []
  const within = (value: number) => Math.min(Math.max(value, min), max)
  let below = 0
  /** Answers whether all are found. */
  const pass = (samples: number, middleOf: () => number) => {
    below += samples
    while (values.length < ranks.length && (ranks[values.length] ?? 0) <= below)
      values.push(within(middleOf()))
    return values.length === ranks.length
  }
  const done =
    passDown(negative, (samples, index) => pass(samples, () => -bucketMiddle(index))) ||
    pass(zero, () => 0) ||
    passUp(positive, (samples, index) => pass(samples, () => bucketMiddle(index)))
  if (done) return values
  while (values.length < ranks.length) {
    values.push((ranks[values.length] ?? 0) > count - infinite ? Number.POSITIVE_INFINITY : max)
  }
  return values
}

type Pass = (samples: number, index: number) => boolean

function passUp({ first, counts }: BucketCounts, pass: Pass): boolean {
  for (let position = 0; position < counts.length; position += 1) {
    const samples = counts[position] ?? 0
    if (samples > 0 && pass(samples, first + position)) return true
  }
  return false
}

function passDown({ first, counts }: BucketCounts, pass: Pass): boolean {
  for (let position = counts.length - 1; position >= 0; position -= 1) {
    const samples = counts[position] ?? 0
    if (samples > 0 && pass(samples, first + position)) return true
  }
  return false
}

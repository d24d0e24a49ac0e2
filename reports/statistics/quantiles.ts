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
  /** The rank that is looked for; none is greater than the last. */
  let rank = ranks[0] ?? Number.POSITIVE_INFINITY
  let below = 0
  const found = (middle: number) => {
    while (rank <= below) {
      values.push(Math.min(Math.max(middle, min), max))
      rank = ranks[values.length] ?? Number.POSITIVE_INFINITY
    }
  }
  for (let position = negative.counts.length - 1; position >= 0; position -= 1) {
    below += negative.counts[position] ?? 0
    if (rank <= below) found(-bucketMiddle(negative.first + position))
  }
  below += zero
  found(0)
  for (let position = 0; position < positive.counts.length; position += 1) {
    below += positive.counts[position] ?? 0
    if (rank <= below) found(bucketMiddle(positive.first + position))
  }
  while (values.length < ranks.length) {
    values.push((ranks[values.length] ?? 0) > count - infinite ? Number.POSITIVE_INFINITY : max)
  }
  return values
}

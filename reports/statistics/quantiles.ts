import type { LatencyMs } from '../../contract/report.ts'
import {
  computeBucketMiddle,
  computeQuantile,
  computeRank,
  HISTOGRAM_SCALE,
  type Histogram,
} from './histogram.ts'

/**
 * Several percentiles, rising, in one pass over the buckets, each equal to `computeQuantile`. Undefined without samples. A
 * report needs tens of thousands.
 */
export function computeQuantiles(
  histogram: Histogram,
  quantiles: readonly number[],
): readonly number[] | undefined {
  const { count, zero, positive, negative, min, max } = histogram
  if (count === 0) return undefined
  const ranks = quantiles.map((quantile) => computeRank(quantile, count))
  const values: number[] = []
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
    if (rank <= below) found(-computeBucketMiddle(negative.first + position))
  }
  below += zero
  found(0)
  for (let position = 0; position < positive.counts.length; position += 1) {
    below += positive.counts[position] ?? 0
    if (rank <= below) found(computeBucketMiddle(positive.first + position))
  }
  // Infinite samples are in no bucket.
  while (values.length < ranks.length) values.push(max)
  return values
}

/**
 * A percentile is shown only if at least this many samples are beyond it on either side. With 10, the share of
 * samples beyond the shown value has a standard error of about a third of itself; fewer are nearly meaningless.
 */
const SAMPLES_BEYOND_MIN = 10

/** 20 for the median, 200 for p95, 1,000 for p99. */
export function samplesNeeded(quantile: number): number {
  const shareBeyond = Math.min(quantile, 1 - quantile)
  // 10 / (1 - 0.95) is 199.99999999999983 in floating point, and 10 / (1 - 0.9) is too large.
  return Math.ceil(SAMPLES_BEYOND_MIN / shareBeyond - 1e-6)
}

/** Milliseconds; null if too few samples support it. */
export function supportedQuantile(histogram: Histogram, quantile: number): LatencyMs {
  if (histogram.count < samplesNeeded(quantile)) return null
  return asLatencyMs(computeQuantile(histogram, quantile))
}

export function getMax(histogram: Histogram): LatencyMs {
  return histogram.count === 0 ? null : asLatencyMs(histogram.max)
}

function asLatencyMs(value: number | undefined): LatencyMs {
  if (value === undefined) return null
  return value === Number.POSITIVE_INFINITY ? 'infinite' : value
}

/** Histograms of spans, prepared so that a percentile of any mixture of them needs few buckets. */
type SpanCounts = {
  spans: number
  first: number
  /** One row per bucket, one number per span: samples in bucket `first - 1 + row` or below; row 0 counts zeros. */
  cumulative: Float64Array
  rows: number
}

/** Prepares a histogram for each span; undefined is a span without samples. Infinite samples are in no row. */
export function spanCounts(histograms: readonly (Histogram | undefined)[]): SpanCounts {
  const spans = histograms.length
  const { first, end } = bucketRange(histograms)
  const rows = end - first + 1
  const cumulative = new Float64Array(rows * spans)
  for (const [span, histogram] of histograms.entries()) {
    if (histogram === undefined) continue
    let sum = histogram.zero
    for (let row = 0; row < rows; row += 1) {
      if (row > 0) sum += histogram.positive.counts[first - 1 + row - histogram.positive.first] ?? 0
      cumulative[row * spans + span] = sum
    }
  }
  return { spans, first, cumulative, rows }
}

function bucketRange(histograms: readonly (Histogram | undefined)[]): { first: number; end: number } {
  let first = Number.POSITIVE_INFINITY
  let end = Number.NEGATIVE_INFINITY
  for (const histogram of histograms) {
    if (histogram === undefined || histogram.positive.counts.length === 0) continue
    first = Math.min(first, histogram.positive.first)
    end = Math.max(end, histogram.positive.first + histogram.positive.counts.length)
  }
  return end < first ? { first: 0, end: 0 } : { first, end }
}

/**
 * A percentile in which each span counts as often as its weight. Samples are spread evenly (logarithmically) within
 * their bucket, because means of many runs are finer than a bucket. NaN without samples.
 */
export function weightedQuantile(counts: SpanCounts, weights: Float64Array, quantile: number): number {
  const total = weightedRow(counts, weights, counts.rows - 1)
  if (total === 0) return Number.NaN
  const wanted = quantile * total
  let low = 0
  let high = counts.rows - 1
  while (low < high) {
    const middle = (low + high) >> 1
    if (weightedRow(counts, weights, middle) >= wanted) high = middle
    else low = middle + 1
  }
  if (low === 0) return 0
  const below = weightedRow(counts, weights, low - 1)
  const within = (wanted - below) / (weightedRow(counts, weights, low) - below)
  return 2 ** ((counts.first + low - 1 + within) / 2 ** HISTOGRAM_SCALE)
}

function weightedRow({ cumulative, spans }: SpanCounts, weights: Float64Array, row: number): number {
  const offset = row * spans
  let sum = 0
  for (let span = 0; span < spans; span += 1) {
    sum += (cumulative[offset + span] ?? 0) * (weights[span] ?? 0)
  }
  return sum
}

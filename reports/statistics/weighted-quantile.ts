import { HISTOGRAM_SCALE, type Histogram } from './histogram.ts'

/** Histograms of spans of time, prepared so that a quantile of any mixture of them is found by looking at few buckets. */
export type SpanCounts = {
  spans: number
  /** The index of the first bucket. */
  first: number
  /** Rows of a number a span: how many samples lie in bucket `first - 1 + row` or below; row 0 counts zeros. */
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
 * A quantile where each span counts as often as its weight says. Samples stand evenly within their bucket, on a logarithmic
 * scale: means of many runs are finer than a bucket. NaN where there are no samples.
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

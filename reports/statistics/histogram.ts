import type { Bucket } from '../../contract/series.ts'

/**
 * Counts by bucket index: dense between the lowest and the highest index, with room to grow on both sides. Narrow until a count does
 * not fit: a report holds thousands of histograms with small counts.
 */
export type BucketCounts = { first: number; counts: Uint16Array | Float64Array }

/** Room for growth: an octave at scale 7. Latencies of one route span a few octaves. */
const ROOM = 128

export function createBucketCounts(): BucketCounts {
  return { first: 0, counts: new Uint16Array(0) }
}

export function addBuckets(sums: BucketCounts, buckets: readonly (readonly [number, number])[]): void {
  const first = buckets[0]
  const last = buckets.at(-1)
  if (first === undefined || last === undefined) return
  makeRoom(sums, first[0], last[0])
  for (const bucket of buckets) addCount(sums, bucket[0] - sums.first, bucket[1])
}

function addCount(sums: BucketCounts, position: number, samples: number): void {
  const count = (sums.counts[position] ?? 0) + samples
  sums.counts[position] = count
  if (sums.counts[position] === count) return
  sums.counts = Float64Array.from(sums.counts)
  sums.counts[position] = count
}

function addCounts(sums: BucketCounts, other: BucketCounts): void {
  const { counts } = other
  let start = 0
  let end = counts.length
  // Only the filled range: otherwise the room at both ends would grow with each addition.
  while (start < end && counts[start] === 0) start += 1
  while (end > start && counts[end - 1] === 0) end -= 1
  if (start === end) return
  makeRoom(sums, other.first + start, other.first + end - 1)
  const offset = other.first - sums.first
  for (let position = start; position < end; position += 1) {
    addCount(sums, offset + position, counts[position] ?? 0)
  }
}

/** Buckets are sorted by index, so the first and the last are the bounds. */
function makeRoom(sums: BucketCounts, first: number, last: number): void {
  const { counts } = sums
  const end = sums.first + counts.length
  if (first >= sums.first && last < end) return
  const empty = counts.length === 0
  // Adds room only on the side that grew, because empty room adds up over thousands of windows.
  const newFirst = empty || first < sums.first ? first - ROOM : sums.first
  const newEnd = empty || last >= end ? last + 1 + ROOM : end
  const grown =
    counts instanceof Uint16Array ? new Uint16Array(newEnd - newFirst) : new Float64Array(newEnd - newFirst)
  if (!empty) grown.set(counts, sums.first - newFirst)
  sums.first = newFirst
  sums.counts = grown
}

/** Buckets of an OpenTelemetry exponential histogram: bucket i holds (base^i, base^(i+1)], base = 2^(2^-scale). */
export const HISTOGRAM_SCALE = 7

export const BUCKETS_PER_OCTAVE = 2 ** HISTOGRAM_SCALE

/** Sample counts by bucket. The sum of two histograms is the histogram of all their samples. */
export type Histogram = {
  /** All samples, including infinite ones. */
  count: number
  min: number
  max: number
  zero: number
  positive: BucketCounts
  /** Buckets of the absolute values of negative samples. */
  negative: BucketCounts
  /** Samples above every finite value: requests that were never sent. */
  infinite: number
}

/** A histogram as stored: finite samples only. */
export type HistogramPart = {
  count: number
  min: number
  max: number
  zero: number
  buckets: readonly Bucket[]
  negative?: readonly Bucket[]
}

/** Without samples, min is Infinity and max is -Infinity. */
export function createHistogram(): Histogram {
  return {
    count: 0,
    min: Number.POSITIVE_INFINITY,
    max: Number.NEGATIVE_INFINITY,
    zero: 0,
    positive: createBucketCounts(),
    negative: createBucketCounts(),
    infinite: 0,
  }
}

/** Adds a line of series.ndjson, exactly. */
export function addPart(histogram: Histogram, part: HistogramPart): void {
  histogram.count += part.count
  histogram.min = Math.min(histogram.min, part.min)
  histogram.max = Math.max(histogram.max, part.max)
  histogram.zero += part.zero
  addBuckets(histogram.positive, part.buckets)
  if (part.negative !== undefined) addBuckets(histogram.negative, part.negative)
}

export function addInfinite(histogram: Histogram, count: number): void {
  if (count === 0) return
  histogram.count += count
  histogram.infinite += count
  histogram.max = Number.POSITIVE_INFINITY
}

/** Adds `other` to `histogram`, exactly: the order of merges does not matter. */
export function mergeInto(histogram: Histogram, other: Histogram): void {
  histogram.count += other.count
  histogram.min = Math.min(histogram.min, other.min)
  histogram.max = Math.max(histogram.max, other.max)
  histogram.zero += other.zero
  histogram.infinite += other.infinite
  addCounts(histogram.positive, other.positive)
  addCounts(histogram.negative, other.negative)
}

/**
 * The smallest value that at least a share of `quantile` of the samples does not exceed (nearest rank). Samples count
 * at the geometric middle of their bucket: the error is at most 0.28 %. Undefined without samples.
 */
export function computeQuantile(histogram: Histogram, quantile: number): number | undefined {
  if (histogram.count === 0) return undefined
  let remaining = computeRank(quantile, histogram.count)
  for (const [value, count] of iterateRisingValues(histogram)) {
    remaining -= count
    if (remaining <= 0) return Math.min(Math.max(value, histogram.min), histogram.max)
  }
  // Infinite samples are in no bucket.
  return histogram.max
}

/** The rank of a percentile among `count` sorted samples, from 1. */
export function computeRank(quantile: number, count: number): number {
  return Math.max(1, Math.ceil(quantile * count - RANK_SLACK))
}

/**
 * A lower bound of the number of samples above a value: a percentile at one of them stays above it, whatever is added.
 * Samples count at the middle of their bucket, clamped to min and max, as in a percentile.
 */
export function countAbove(histogram: Histogram, limit: number): number {
  if (histogram.max <= limit) return 0
  let count = histogram.infinite
  for (const [value, samples] of iterateRisingValues(histogram)) if (value > limit) count += samples
  return count
}

/** The mean of what each sample exceeds the limit by: 0 for those below it. 0 without samples. */
export function computeMeanExcess(histogram: Histogram, limit: number): number {
  let sum = 0
  for (const [value, samples] of iterateRisingValues(histogram)) sum += Math.max(0, value - limit) * samples
  return histogram.count === 0 ? 0 : sum / histogram.count
}

/** 0.07 * 100 is 7.000000000000001 in floating point; its rank must be 7. */
const RANK_SLACK = 1e-9

function* iterateRisingValues({ negative, zero, positive }: Histogram): Generator<readonly [number, number]> {
  for (let position = negative.counts.length - 1; position >= 0; position -= 1) {
    const count = negative.counts[position] ?? 0
    if (count > 0) yield [-computeBucketMiddle(negative.first + position), count]
  }
  yield [0, zero]
  for (let position = 0; position < positive.counts.length; position += 1) {
    const count = positive.counts[position] ?? 0
    if (count > 0) yield [computeBucketMiddle(positive.first + position), count]
  }
}

export function computeBucketMiddle(index: number): number {
  return 2 ** ((index + 0.5) / BUCKETS_PER_OCTAVE)
}

/** At scale 7: 2^64 ms, or its inverse. No latency comes near, and a damaged index must not exhaust memory. */
export const BUCKET_INDEX_MAX = 64 * 128

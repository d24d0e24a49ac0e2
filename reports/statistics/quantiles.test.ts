import fc from 'fast-check'
import { expect, test } from 'vitest'
import { bucketSamples } from '../synthetic-run.ts'
import {
  addInfinite,
  addPart,
  computeQuantile,
  createHistogram,
  type Histogram,
  mergeInto,
} from './histogram.ts'
import {
  computeQuantiles,
  getMax,
  samplesNeeded,
  spanCounts,
  supportedQuantile,
  weightedQuantile,
} from './quantiles.ts'

const QUANTILES = [0, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99, 1]

test('several percentiles at once equal single ones', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: -3000, max: 3000 })), fc.nat(9), (samples, infinite) => {
      const histogram = buildHistogram(samples)
      addInfinite(histogram, infinite)
      fc.pre(histogram.count > 0)
      expect(computeQuantiles(histogram, QUANTILES)).toEqual(
        QUANTILES.map((each) => computeQuantile(histogram, each)),
      )
    }),
    { seed: 1 },
  )
})

test.each([
  { samples: [], infinite: 0, max: null },
  { samples: [3, 8.5], infinite: 0, max: 8.5 },
  { samples: [3], infinite: 1, max: 'infinite' },
])('the maximum of $samples and $infinite infinite samples is $max', ({ samples, infinite, max }) => {
  const histogram = buildHistogram(samples)
  addInfinite(histogram, infinite)
  expect(getMax(histogram)).toBe(max)
})

test('has no percentiles without samples', () => {
  expect(computeQuantiles(createHistogram(), QUANTILES)).toBeUndefined()
})

function buildHistogram(samples: readonly number[]): Histogram {
  const histogram = createHistogram()
  if (samples.length === 0) return histogram
  addPart(histogram, {
    count: samples.length,
    min: Math.min(...samples),
    max: Math.max(...samples),
    zero: samples.filter((sample) => sample === 0).length,
    buckets: bucketSamples(samples.filter((sample) => sample > 0)),
    negative: bucketSamples(samples.filter((sample) => sample < 0).map((sample) => -sample)),
  })
  return histogram
}

test.each([
  { quantile: 0.5, needed: 20 },
  { quantile: 0.9, needed: 100 },
  { quantile: 0.95, needed: 200 },
  { quantile: 0.99, needed: 1000 },
  { quantile: 0.999, needed: 10_000 },
  { quantile: 0.05, needed: 200 },
])('percentile $quantile needs $needed samples', ({ quantile, needed }) => {
  expect(samplesNeeded(quantile)).toBe(needed)
})

test.each([
  { count: 199, shown: null },
  { count: 200, shown: 1 },
])('p95 of $count samples is shown as $shown', ({ count, shown }) => {
  const histogram = createHistogram()
  addPart(histogram, { count, min: 1, max: 1, zero: 0, buckets: [[-1, count]] })
  expect(supportedQuantile(histogram, 0.95)).toBe(shown)
})

const latencies = fc.array(fc.double({ min: 1e-3, max: 1e6, noNaN: true }), { minLength: 1, maxLength: 60 })
const weighted = fc.array(fc.tuple(latencies, fc.integer({ min: 0, max: 3 })), { minLength: 1, maxLength: 8 })
const quantile = fc.double({ min: 0.01, max: 0.99, noNaN: true })

/** A bucket is 0.54 % wide: both are in the same one, or at its edges. */
const BUCKET = 2 ** (1 / 128)

test('equals the percentile of the spans merged by weight, within a bucket', () => {
  fc.assert(
    fc.property(weighted, quantile, (spans, q) => {
      fc.pre(spans.some(([, weight]) => weight > 0))
      const merged = createHistogram()
      for (const [samples, weight] of spans) {
        for (let time = 0; time < weight; time += 1) mergeInto(merged, buildLatencies(samples))
      }
      const counts = spanCounts(spans.map(([samples]) => buildLatencies(samples)))
      const found = weightedQuantile(
        counts,
        Float64Array.from(spans, ([, weight]) => weight),
        q,
      )
      const exact = computeQuantile(merged, q) ?? Number.NaN
      expect(Math.abs(Math.log(found / exact))).toBeLessThanOrEqual(Math.log(BUCKET) * 1.0001)
    }),
    { seed: 1 },
  )
})

test('the median of a bucket is its logarithmic middle', () => {
  const counts = spanCounts([buildLatencies(Array(10).fill(2))])
  expect(weightedQuantile(counts, Float64Array.of(1), 0.5)).toBeCloseTo(2 * BUCKET ** -0.5, 12)
  expect(weightedQuantile(counts, Float64Array.of(1), 1)).toBeCloseTo(2, 12)
})

test('zeros are below all buckets; spans without samples or weight add nothing', () => {
  const zeros = createHistogram()
  addPart(zeros, { count: 3, min: 0, max: 0, zero: 3, buckets: [] })
  const counts = spanCounts([zeros, undefined, buildLatencies([4])])
  expect(weightedQuantile(counts, Float64Array.of(1, 1, 1), 0.5)).toBe(0)
  expect(weightedQuantile(counts, Float64Array.of(0, 1, 1), 1)).toBeCloseTo(4, 12)
  expect(weightedQuantile(counts, Float64Array.of(0, 1, 0), 0.5)).toBeNaN()
  expect(weightedQuantile(spanCounts([undefined]), Float64Array.of(1), 0.5)).toBeNaN()
})

function buildLatencies(samples: readonly number[]): Histogram {
  const histogram = createHistogram()
  addPart(histogram, {
    count: samples.length,
    min: Math.min(...samples),
    max: Math.max(...samples),
    zero: 0,
    buckets: bucketSamples(samples),
  })
  return histogram
}

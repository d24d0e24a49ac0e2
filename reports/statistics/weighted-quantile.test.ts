import fc from 'fast-check'
import { expect, test } from 'vitest'
import { bucketsOf } from '../synthetic-run.ts'
import { addPart, createHistogram, type Histogram, mergeInto, quantileOf } from './histogram.ts'
import { spanCounts, weightedQuantile } from './weighted-quantile.ts'

const latencies = fc.array(fc.double({ min: 1e-3, max: 1e6, noNaN: true }), { minLength: 1, maxLength: 60 })
const weighted = fc.array(fc.tuple(latencies, fc.integer({ min: 0, max: 3 })), { minLength: 1, maxLength: 8 })
const quantile = fc.double({ min: 0.01, max: 0.99, noNaN: true })

/** A bucket is 0.54 % wide: both stand in the same one, or at its edges. */
const BUCKET = 2 ** (1 / 128)

test('it is the quantile of the spans merged, each as often as its weight says, to a bucket', () => {
  fc.assert(
    fc.property(weighted, quantile, (spans, q) => {
      fc.pre(spans.some(([, weight]) => weight > 0))
      const merged = createHistogram()
      for (const [samples, weight] of spans) {
        for (let time = 0; time < weight; time += 1) mergeInto(merged, histogramOf(samples))
      }
      const counts = spanCounts(spans.map(([samples]) => histogramOf(samples)))
      const found = weightedQuantile(
        counts,
        Float64Array.from(spans, ([, weight]) => weight),
        q,
      )
      const exact = quantileOf(merged, q) ?? Number.NaN
      expect(Math.abs(Math.log(found / exact))).toBeLessThanOrEqual(Math.log(BUCKET) * 1.0001)
    }),
    { seed: 1 },
  )
})

test('samples stand evenly within a bucket: the middle of its logarithm is its median', () => {
  const counts = spanCounts([histogramOf(Array(10).fill(2))])
  expect(weightedQuantile(counts, Float64Array.of(1), 0.5)).toBeCloseTo(2 * BUCKET ** -0.5, 12)
  expect(weightedQuantile(counts, Float64Array.of(1), 1)).toBeCloseTo(2, 12)
})

test('zeros stand below all buckets; spans without samples, or without weight, add nothing', () => {
  const zeros = createHistogram()
  addPart(zeros, { count: 3, min: 0, max: 0, zero: 3, buckets: [] })
  const counts = spanCounts([zeros, undefined, histogramOf([4])])
  expect(weightedQuantile(counts, Float64Array.of(1, 1, 1), 0.5)).toBe(0)
  expect(weightedQuantile(counts, Float64Array.of(0, 1, 1), 1)).toBeCloseTo(4, 12)
  expect(weightedQuantile(counts, Float64Array.of(0, 1, 0), 0.5)).toBeNaN()
  expect(weightedQuantile(spanCounts([undefined]), Float64Array.of(1), 0.5)).toBeNaN()
})

function histogramOf(samples: readonly number[]): Histogram {
  const histogram = createHistogram()
  addPart(histogram, {
    count: samples.length,
    min: Math.min(...samples),
    max: Math.max(...samples),
    zero: 0,
    buckets: bucketsOf(samples),
  })
  return histogram
}

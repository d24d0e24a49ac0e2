import { expect, test } from 'vitest'
import { addPart, createHistogram } from './histogram.ts'
import { samplesNeeded, supportedQuantile } from './quantile-support.ts'

test.each([
  { quantile: 0.5, needed: 20 },
  { quantile: 0.9, needed: 100 },
  { quantile: 0.95, needed: 200 },
  { quantile: 0.99, needed: 1000 },
  { quantile: 0.999, needed: 10_000 },
  { quantile: 0.05, needed: 200 },
])('the $quantile quantile needs $needed samples', ({ quantile, needed }) => {
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

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { bucketsOf } from '../synthetic-run.ts'
import { addInfinite, addPart, createHistogram, type Histogram, quantileOf } from './histogram.ts'
import { quantilesOf } from './quantiles.ts'

const QUANTILES = [0, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99, 1]

test('several quantiles at once are those that are had one by one', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: -3000, max: 3000 })), fc.nat(9), (samples, infinite) => {
      const histogram = histogramOf(samples)
      addInfinite(histogram, infinite)
      fc.pre(histogram.count > 0)
      expect(quantilesOf(histogram, QUANTILES)).toEqual(QUANTILES.map((each) => quantileOf(histogram, each)))
    }),
    { seed: 1 },
  )
})

test('nothing has no quantiles', () => {
  expect(quantilesOf(createHistogram(), QUANTILES)).toBeUndefined()
})

function histogramOf(samples: readonly number[]): Histogram {
  const histogram = createHistogram()
  if (samples.length === 0) return histogram
  addPart(histogram, {
    count: samples.length,
    min: Math.min(...samples),
    max: Math.max(...samples),
    zero: samples.filter((sample) => sample === 0).length,
    buckets: bucketsOf(samples.filter((sample) => sample > 0)),
    negative: bucketsOf(samples.filter((sample) => sample < 0).map((sample) => -sample)),
  })
  return histogram
}

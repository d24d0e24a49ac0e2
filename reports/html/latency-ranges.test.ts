import { expect, test } from 'vitest'
import { addPart, createHistogram } from '../statistics/histogram.ts'
import { bucketsOf } from '../synthetic-run.ts'
import { latencyRanges } from './latency-ranges.ts'

test('ranges double, and one between two others stands even where it is empty', () => {
  const histogram = createHistogram()
  const samples = [0.6, 1.5, 1.5, 2, 5]
  addPart(histogram, { count: 6, min: 0, max: 5, zero: 1, buckets: bucketsOf(samples) })
  expect(latencyRanges(histogram)).toEqual([
    { aboveMs: 0.5, toMs: 1, count: 1 },
    { aboveMs: 1, toMs: 2, count: 3 },
    { aboveMs: 2, toMs: 4, count: 0 },
    { aboveMs: 4, toMs: 8, count: 1 },
  ])
})

test('nothing has no ranges', () => {
  expect(latencyRanges(createHistogram())).toEqual([])
})

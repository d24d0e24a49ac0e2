import { expect, test } from 'vitest'
import { createCourse, foldCourse } from '../series/course.ts'
import { requests, sumPoint } from '../series/test-points.ts'
import { addPart, createHistogram } from '../statistics/histogram.ts'
import { bucketSamples } from '../synthetic-run.ts'
import { courseRows, latencyRanges } from './latency-section.ts'

test('ranges double, including empty ones in between', () => {
  const histogram = createHistogram()
  const samples = [0.6, 1.5, 1.5, 2, 5]
  addPart(histogram, { count: 6, min: 0, max: 5, zero: 1, buckets: bucketSamples(samples) })
  expect(latencyRanges(histogram)).toEqual([
    { aboveMs: 0.5, toMs: 1, count: 1 },
    { aboveMs: 1, toMs: 2, count: 3 },
    { aboveMs: 2, toMs: 4, count: 0 },
    { aboveMs: 4, toMs: 8, count: 1 },
  ])
})

test('has no ranges without requests', () => {
  expect(latencyRanges(createHistogram())).toEqual([])
})

test('a long run has few rows with all requests', () => {
  const course = createCourse()
  for (let time = 101; time <= 200; time += 1) foldCourse(course, requests(30, 8, { time }))
  foldCourse(course, sumPoint(5, { metric: 'dropped_iterations', time: 150 }))
  const { rows, latency } = courseRows(course.requests, course)
  expect(rows.length).toBe(7)
  expect([rows[0]?.from, rows[0]?.to, rows.at(-1)?.to]).toEqual([0, 11, 100])
  expect(rows.map(({ requestsPerSecond }) => requestsPerSecond)).toEqual(Array(7).fill(30))
  expect(rows.map(({ dropped }) => dropped)).toEqual([0, 0, 0, 5, 0, 0, 0])
  expect(rows[3]).toMatchObject({ p50: 8, p95: 8, max: 'infinite' })
  expect([latency.count, latency.infinite]).toEqual([3005, 5])
})

test('leaves out percentiles with too few requests', () => {
  const course = createCourse()
  foldCourse(course, requests(30, 8))
  expect(courseRows(course.requests, course).rows).toMatchObject([{ p50: 8, p95: null, p99: null, max: 8 }])
})

import { expect, test } from 'vitest'
import { SINCE_DUE } from '../../contract/series.ts'
import { type Course, createCourse, foldCourse } from '../series/course.ts'
import { requests, sumPoint, trendPoint } from '../series/test-points.ts'
import { chartData } from './chart-data.ts'
import { chartGists, courseGist } from './chart-gists.ts'
import { courseRows } from './sections/latency-section.ts'

test('summarizes the charts of a run', () => {
  const course = createCourse()
  for (let time = 1; time <= 8; time += 1) foldCourse(course, requests(100, time === 5 ? 32 : 8, { time }))
  foldCourse(course, sumPoint(3, { metric: 'http_req_failed', type: 'rate', time: 2 }))
  expect(buildGists(course)).toEqual({
    latency: 'p95 peaked at 31.9 ms at 0:03 (minimum 8 ms); the slowest request took 32 ms, at 0:04.',
    heat: 'Half of all requests took 8 ms; 90 % took 8 to 31.9 ms.',
    rate: '100 requests per second throughout; up to 3 failed per second, highest at 0:01; none dropped.',
  })
})

test('a target that stalled did not respond at that rate throughout', () => {
  const course = createCourse()
  for (let time = 1; time <= 30; time += 1) {
    foldCourse(course, sumPoint(5, { metric: 'vus', type: 'gauge', time }))
    if (time <= 10 || time > 20) foldCourse(course, requests(50, 8, { time }))
  }
  expect(buildGists(course).rate).toBe(
    '0 to 50 requests per second, highest at 0:00; none failed; none dropped.',
  )
})

test('reports few requests and requests without a response', () => {
  const few = createCourse()
  foldCourse(few, requests(3, 8))
  expect(buildGists(few).heat).toBe('Too few requests (3) to show a distribution.')
  const withoutResponse = createCourse()
  foldCourse(withoutResponse, trendPoint([0, 0, 8, 8], { metric: SINCE_DUE }))
  expect(buildGists(withoutResponse).heat).toBe('50 % got no response.')
})

test('mentions dropped iterations with latency', () => {
  const course = createCourse()
  foldCourse(course, requests(3, 8))
  foldCourse(course, sumPoint(2, { metric: 'dropped_iterations' }))
  expect(buildGists(course).latency).toBe(
    'Too few requests to draw latency. Dropped iterations count as requests that never ended.',
  )
})

test('each line of a chart: its range and when it is highest', () => {
  const lines = [
    { label: 'served', values: [1, null, 4] },
    { label: 'unresponsive', values: [2, 2, 2] },
    { label: 'none', values: [null, null, null] },
  ]
  expect(courseGist(lines, [0, 60, 3661], 'per second')).toBe(
    'Served: 1 to 4 per second, highest at 1:01:01; unresponsive: 2 per second throughout.',
  )
})

function buildGists(course: Course) {
  const group = chartData({ course, trials: [], capacity: null })?.groups[0]
  if (group === undefined) throw new Error('nothing is drawn')
  return chartGists(group, courseRows(course.requests, course).latency)
}

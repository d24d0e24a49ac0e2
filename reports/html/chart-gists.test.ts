import { expect, test } from 'vitest'
import { type Course, createCourse, foldCourse } from '../series/course.ts'
import { requests, sumPoint, trendPoint } from '../series/test-points.ts'
import { chartData } from './chart-data.ts'
import { chartGists, courseGist } from './chart-gists.ts'
import { courseRows } from './latency-section.ts'

test('the charts of a run in words', () => {
  const course = createCourse()
  for (let time = 1; time <= 8; time += 1) foldCourse(course, requests(100, time === 5 ? 32 : 8, { time }))
  foldCourse(course, sumPoint(3, { metric: 'http_req_failed', type: 'rate', time: 2 }))
  expect(gistsOf(course)).toEqual({
    latency:
      'p50 between 8 and 32 ms, highest at 0:04; p95 between 8 and 31.9 ms, highest at 0:03; the slowest request took 32 ms, at 0:04.',
    heat: 'Half of all requests took 8 ms; nine of ten took 8 to 31.9 ms.',
    rate: '100 requests a second throughout; up to 3 failed a second, most at 0:01; none dropped.',
  })
})

test('where there are few requests, or they had no answer, it is said', () => {
  const few = createCourse()
  foldCourse(few, requests(3, 8))
  expect(gistsOf(few).heat).toBe('Only 3 requests: too few to say how they spread.')
  const unanswered = createCourse()
  foldCourse(unanswered, trendPoint([0, 0, 8, 8], { metric: 'http_req_duration' }))
  expect(gistsOf(unanswered).heat).toBe('50 % took no time: they had no answer.')
})

test('dropped iterations are told where latency is', () => {
  const course = createCourse()
  foldCourse(course, requests(3, 8))
  foldCourse(course, sumPoint(2, { metric: 'dropped_iterations' }))
  expect(gistsOf(course).latency).toBe(
    'No latency can be drawn. Dropped iterations count as requests without an end.',
  )
})

test('each line of any chart: the least, the greatest, and where', () => {
  const lines = [
    { label: 'served', values: [1, null, 4] },
    { label: 'mute', values: [2, 2, 2] },
    { label: 'none', values: [null, null, null] },
  ]
  expect(courseGist(lines, [0, 60, 3661], 'a second')).toBe(
    'Served: between 1 and 4 a second, highest at 1:01:01; mute: 2 a second throughout.',
  )
})

function gistsOf(course: Course) {
  const group = chartData({ course, trials: [], capacity: null })?.groups[0]
  if (group === undefined) throw new Error('nothing is drawn')
  return chartGists(group, courseRows(course.requests, course).latency)
}

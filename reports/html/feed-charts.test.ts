import { expect, test } from 'vitest'
import { createCourse, foldCourse } from '../series/course.ts'
import { requests, sumPoint, trendPoint } from '../series/test-points.ts'
import { feedCharts } from './feed-charts.ts'

test('sockets and messages have a line for each kind that there was', () => {
  const course = createCourse()
  for (const time of [1, 2]) {
    foldCourse(course, sumPoint(4 * time, { metric: 'ws_msgs_received', time }))
    foldCourse(course, sumPoint(time, { metric: 'feed_sockets', tags: { outcome: 'unresponsive' }, time }))
  }
  expect(feedCharts(course, [])).toEqual({
    windowSeconds: 1,
    seconds: [0, 1],
    delay: [],
    sockets: [{ label: 'unresponsive', values: [1, 2] }],
    messages: [{ label: 'messages', values: [4, 8] }],
  })
})

test('draws both bounds of a delay', () => {
  const course = createCourse()
  const delays = (ms: number) => Array<number>(200).fill(ms)
  for (const time of [1, 2, 3, 4]) {
    foldCourse(course, trendPoint(delays(2 * time), { metric: 'feed_delay_lower_bound', time }))
    foldCourse(course, trendPoint(delays(8 * time), { metric: 'feed_delay_upper_bound', time }))
  }
  const lines = feedCharts(course, [])?.delay.map(({ label, values }) => [label, ...values])
  expect(lines).toEqual([
    ['p50 at most of 1 s', 8, 16, 24, 32],
    ['p95 at most of 1 s', 8, 16, 24, 32],
    ['p95 at least of 1 s', 2, 4, 6, 8],
  ])
})

test('counts seconds from the start of the run, not of the feed', () => {
  const course = createCourse()
  foldCourse(course, requests(1, 8, { time: 10 }))
  foldCourse(course, sumPoint(1, { metric: 'ws_sessions', time: 15 }))
  expect(feedCharts(course, [])?.seconds).toEqual([5])
})

test('a run without a feed has no charts of one', () => {
  expect(feedCharts(createCourse(), [])).toBeNull()
})

import { expect, test } from 'vitest'
import { createCourse, foldCourse } from '../series/course.ts'
import { requests, sumPoint, trendPoint } from '../series/test-points.ts'
import {
  createWindows,
  REQUEST_WINDOWS,
  type RequestWindow,
  type Windows,
  windowAt,
} from '../series/windows.ts'
import { addPart } from '../statistics/histogram.ts'
import { feedCharts, percentileLines } from './chart-lines.ts'

const FIRST = 101
const SECONDS = Array.from({ length: 16 }, (_, place) => FIRST + place)

test('a wider window starts at a bound instead of crossing it', () => {
  // 10 requests/s of 1 ms, from second 107 on of 64 ms: the median needs windows of 2 s.
  const windows = buildWindows((second) => (second < 107 ? 1 : 64))
  const values = (bounds: readonly number[]) => buildLines(windows, bounds, [0.5])[0]?.values
  const of = (count: number, ms: number) => Array<number>(count).fill(ms)
  // A single second at each end; the window of 106 and 107 contains both.
  expect(values([])).toEqual([null, ...of(6, 1), ...of(8, 64), null])
  expect(values([107])).toEqual([null, ...of(4, 1), null, ...of(10, 64)])
})

test('sorts percentiles, each with the width of its windows', () => {
  const lines = buildLines(
    buildWindows(() => 1),
    [],
    [0.05, 0.5, 0.75],
  )
  expect(lines.map(({ quantile, windowSeconds }) => [quantile, windowSeconds])).toEqual([
    [0.5, 2],
    [0.75, 4],
  ])
})

function buildLines(
  windows: Windows<RequestWindow>,
  bounds: readonly number[],
  quantiles: readonly number[],
) {
  return percentileLines({
    windows,
    indexes: SECONDS,
    quantiles,
    bounds,
    getLatency: ({ latency }) => latency,
  })
}

function buildWindows(computeMs: (second: number) => number): Windows<RequestWindow> {
  const windows = createWindows(REQUEST_WINDOWS)
  for (const second of SECONDS) {
    const ms = computeMs(second)
    const bucket = Math.round(Math.log2(ms) * 128) - 1
    addPart(windowAt(windows, second).latency, {
      count: 10,
      min: ms,
      max: ms,
      zero: 0,
      buckets: [[bucket, 10]],
    })
  }
  return windows
}

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

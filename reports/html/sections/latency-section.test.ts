import { expect, test } from 'vitest'
import { createCourse, foldCourse } from '../../series/course.ts'
import { requests, sumPoint } from '../../series/test-points.ts'
import { addPart, createHistogram } from '../../statistics/histogram.ts'
import { bucketSamples } from '../../synthetic-run.ts'
import { courseRows, latencyRanges, latencySection, tracesTable } from './latency-section.ts'

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

const REQUESTS = { routeGroup: '*', count: 2000, failed: 0, p50: 9, p95: 80.25, p99: 120, max: 150 }
const RESPONSE_TIME = { p50: 8, p95: 40, p99: 60 }

test.each([
  [
    { p50: 0.25, p95: 30, p99: 90 },
    'the load generator sent their first requests 0.25 ms late at p50, 30 at p95 and 90 at p99.',
    '<td class="number" data-label="Late p99">90</td>',
  ],
  [null, 'No client arrived at a planned time', '<td class="number" data-label="Late p99">–</td>'],
])('says how far latency is from response time, with the lateness %j', (lateness, says, shows) => {
  const group = { ...REQUESTS, responseTime: RESPONSE_TIME, lateness }
  const generator = {
    requests: 2000,
    failedRequests: 0,
    iterations: 2000,
    droppedIterations: 0,
    measuredSeconds: 10,
    complete: true,
  }
  const report = { latency: { groups: [group], routes: [] }, generator, capacity: null, traces: [] }
  const { markup } = latencySection({ report, course: createCourse(), charts: undefined })
  for (const text of [says, shows, 'p95 is 40 ms instead of 80.3', 'p99 60 ms instead of 120'])
    expect(markup.replaceAll('\n', ' ')).toContain(text)
})

const TRACE = {
  routeGroup: 'pools',
  name: 'GET /pools<b>',
  traceId: '0af7651916cd43dd8448eb211c80319c',
  at: '2026-01-02T03:04:05.000Z',
  status: '200',
  ms: 81.23,
  parts: [
    { name: 'queue', ms: 79 },
    { name: 'app', ms: 1.5 },
  ],
}

test('shows the id to search for, with the time of each part', () => {
  const { markup } = tracesTable([TRACE, { ...TRACE, parts: [] }])
  for (const text of [
    'GET /pools&#60;b&#62;',
    '03:04:05',
    '>81.2<',
    'queue 79, app 1.5',
    '>–<',
    '<code>0af7651916cd43dd8448eb211c80319c</code>',
  ])
    expect(markup).toContain(text)
})

test('shows the slowest of many', () => {
  const { markup } = tracesTable(Array(31).fill(TRACE))
  expect(markup.split('<tr><th scope="row">').length).toBe(31)
  expect(markup).toContain('The 30 slowest of 31')
})

test('is absent without traces', () => {
  expect(tracesTable([]).markup).toBe('')
})

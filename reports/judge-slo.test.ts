import { expect, test } from 'vitest'
import type { ObjectiveResult } from '../contract/report.ts'
import type { SeriesPoint } from '../contract/series.ts'
import type { Objective } from '../contract/slo.ts'
import { judgeSlo } from './judge-slo.ts'
import { objectiveText, observedText } from './objective-text.ts'
import { createFoldedSeries, foldPoint } from './series/fold-series.ts'
import { requests, sumPoint, trendPoint } from './series/test-points.ts'

type Row = { objective: Objective; points?: readonly SeriesPoint[]; text: string }

const POOLS = { route_group: 'pools', name: 'GET /pools' }
const failed = (sum: number, count = 200, status = '503') =>
  sumPoint(sum, { metric: 'http_req_failed', type: 'rate', count, tags: { ...POOLS, status } })
const dropped = (count: number) => sumPoint(count, { metric: 'dropped_iterations' })
const refused = (count: number) => requests(count, 8, { tags: { ...POOLS, status: '429' } })
const delays = (least: number, most: number, count = 20) => [
  trendPoint(Array<number>(count).fill(least), { metric: 'feed_delay_lower_bound' }),
  trendPoint(Array<number>(count).fill(most), { metric: 'feed_delay_upper_bound' }),
]
const unmeasured = (why: string, sum = 20) =>
  sumPoint(sum, { metric: 'feed_unmeasured', tags: { reason: why } })
const synchronized = (count: number, ms: number) =>
  trendPoint(Array<number>(count).fill(ms), { metric: 'feed_synchronize' })
const recovered = (count: number, ms: number) =>
  trendPoint(Array<number>(count).fill(ms), { metric: 'feed_recovery' })
const sockets = (outcome: string, sum: number) => sumPoint(sum, { metric: 'feed_sockets', tags: { outcome } })

const ALL = '*'
const ERRORS = { routeGroup: ALL, errorRateMax: 0.01 }

// Every request took 8 ms, within 0.3 %.
test.each<Row>([
  {
    objective: { routeGroup: 'pools', quantile: 0.95, latencyMsMax: 8.1 },
    text: 'pass: p95 of pools at most 8.1 ms: 8 ms over 200 requests',
  },
  {
    objective: { routeGroup: ALL, quantile: 0.95, latencyMsMax: 7.9 },
    text: 'fail: p95 of all requests at most 7.9 ms: 8 ms over 200 requests',
  },
  {
    objective: { routeGroup: 'pools', quantile: 0.95, latencyMsMax: 8 },
    text: 'pass: p95 of pools at most 8 ms: 8 ms over 200 requests',
  },
  {
    objective: { routeGroup: 'pools', quantile: 0.95, latencyMsMax: 9 },
    points: [requests(200, 8), unmeasured('ahead')],
    text: 'pass: p95 of pools at most 9 ms: 8 ms over 200 requests',
  },
  {
    objective: { routeGroup: 'pools', quantile: 0.999, latencyMsMax: 9 },
    text: 'inconclusive: p99.9 of pools at most 9 ms: too few samples (200 of 10000)',
  },
  {
    objective: { routeGroup: 'pools', quantile: 0.5, latencyMsMax: 9 },
    points: [requests(19, 8)],
    text: 'inconclusive: p50 of pools at most 9 ms: too few samples (19 of 20)',
  },
  {
    objective: { routeGroup: 'swaps', quantile: 0.5, latencyMsMax: 9 },
    text: 'inconclusive: p50 of swaps at most 9 ms: the run has no route group "swaps"; it has pools',
  },
  {
    objective: { routeGroup: 'auth', quantile: 0.5, latencyMsMax: 9 },
    points: ['swaps', 'pools', 'users', 'pools'].map((group, id) =>
      requests(20, 8, { tags: { route_group: group, name: `GET /${group}/${id}` } }),
    ),
    text: 'inconclusive: p50 of auth at most 9 ms: the run has no route group "auth"; it has pools, swaps, users',
  },
  {
    objective: { routeGroup: 'auth', quantile: 0.5, latencyMsMax: 9 },
    points: [],
    text: 'inconclusive: p50 of auth at most 9 ms: the run has no route group "auth"; it has none',
  },
  {
    objective: { routeGroup: ALL, quantile: 0.5, latencyMsMax: 9 },
    points: [],
    text: 'inconclusive: p50 of all requests at most 9 ms: no samples',
  },
  {
    objective: { routeGroup: ALL, quantile: 0.95, latencyMsMax: 9 },
    points: [requests(200, 8), dropped(11)],
    text: 'fail: p95 of all requests at most 9 ms: infinite over 211 requests',
  },
  {
    objective: { routeGroup: 'pools', quantile: 0.95, latencyMsMax: 9 },
    points: [requests(200, 8), dropped(11)],
    text: 'pass: p95 of pools at most 9 ms: 8 ms over 200 requests',
  },
  {
    objective: { routeGroup: 'pools', errorRateMax: 0.01 },
    points: [failed(2)],
    text: 'pass: errors of pools at most 1 %: 1 % of 200 requests',
  },
  {
    objective: ERRORS,
    points: [failed(3)],
    text: 'fail: errors of all requests at most 1 %: 1.5 % of 200 requests, most often GET /pools: 503 (3 requests)',
  },
  {
    objective: ERRORS,
    points: [failed(1, 100), failed(2, 100, '0')],
    text: 'fail: errors of all requests at most 1 %: 1.5 % of 200 requests, most often GET /pools: no response (2 requests)',
  },
  { objective: ERRORS, points: [], text: 'inconclusive: errors of all requests at most 1 %: no samples' },
  {
    objective: { routeGroup: 'pools', rateLimitedRateMax: 0.01 },
    points: [requests(198, 8), refused(2)],
    text: 'pass: 429s of pools at most 1 %: 1 % of 200 requests',
  },
  {
    objective: { routeGroup: ALL, rateLimitedRateMax: 0.01 },
    points: [requests(197, 8), refused(3)],
    text: 'fail: 429s of all requests at most 1 %: 1.5 % of 200 requests, most often GET /pools (3 requests)',
  },
  {
    objective: { routeGroup: 'swaps', rateLimitedRateMax: 0 },
    points: [refused(3)],
    text: 'inconclusive: 429s of swaps at most 0 %: the run has no route group "swaps"; it has pools',
  },
  {
    objective: { droppedRateMax: 0.01 },
    points: [sumPoint(198, { metric: 'iterations' }), dropped(2)],
    text: 'pass: dropped iterations at most 1 %: 1 % of 200 iterations',
  },
  {
    objective: { droppedRateMax: 0.01 },
    points: [sumPoint(197, { metric: 'iterations' }), dropped(3)],
    text: 'fail: dropped iterations at most 1 %: 1.5 % of 200 iterations',
  },
  {
    objective: { droppedRateMax: 0.01 },
    text: 'inconclusive: dropped iterations at most 1 %: no samples',
  },
  {
    objective: { quantile: 0.5, feedDelayMsMax: 500 },
    points: delays(100, 400),
    text: 'pass: p50 of feed delay at most 500 ms: between 100 ms and 400 ms over 20 events',
  },
  {
    objective: { quantile: 0.5, feedDelayMsMax: 500 },
    points: delays(600, 900),
    text: 'fail: p50 of feed delay at most 500 ms: between 600 ms and 900 ms over 20 events',
  },
  {
    objective: { quantile: 0.5, feedDelayMsMax: 500 },
    points: delays(400, 600),
    text: 'inconclusive: p50 of feed delay at most 500 ms: between 400 ms and 600 ms over 20 events: the delay is not known precisely enough, because of the clock offset between target and load generator or because event times have a coarse unit, such as whole seconds',
  },
  {
    objective: { quantile: 0.5, feedDelayMsMax: 500 },
    points: [...delays(100, 400), unmeasured('ahead', 1)],
    text: 'inconclusive: p50 of feed delay at most 500 ms: between 100 ms and 400 ms over 20 events: event times are ahead of the clock of REST responses (the header Date)',
  },
  {
    objective: { quantile: 0.5, feedDelayMsMax: 500 },
    points: delays(100, 400, 19),
    text: 'inconclusive: p50 of feed delay at most 500 ms: too few samples (19 of 20)',
  },
  {
    // The series breaks off between the two bounds of a second.
    objective: { quantile: 0.5, feedDelayMsMax: 500 },
    points: [...delays(100, 400, 19), ...delays(100, 400).slice(0, 1)],
    text: 'inconclusive: p50 of feed delay at most 500 ms: too few samples (19 of 20)',
  },
  {
    objective: { quantile: 0.5, feedDelayMsMax: 500 },
    text: 'inconclusive: p50 of feed delay at most 500 ms: no samples: no client of the run received an event',
  },
  {
    objective: { quantile: 0.5, feedDelayMsMax: 500 },
    points: [unmeasured('no-time-field'), unmeasured('no-clock')],
    text: 'inconclusive: p50 of feed delay at most 500 ms: no samples: the profile does not name the time field of events (choices.eventTime); no REST response had given the time of the target yet (the header Date)',
  },
  {
    objective: { quantile: 0.9, synchronizeMsMax: 300 },
    points: [
      synchronized(90, 200),
      sockets('served', 90),
      sockets('unresponsive', 4),
      sockets('rejected', 6),
    ],
    text: 'pass: p90 of time to synchronize at most 300 ms: 200 ms over 100 sockets',
  },
  {
    objective: { quantile: 0.9, synchronizeMsMax: 300 },
    points: [
      synchronized(89, 200),
      sockets('served', 89),
      sockets('unresponsive', 5),
      sockets('rejected', 6),
    ],
    text: 'fail: p90 of time to synchronize at most 300 ms: infinite over 100 sockets',
  },
  {
    objective: { quantile: 0.9, synchronizeMsMax: 300 },
    text: 'inconclusive: p90 of time to synchronize at most 300 ms: no samples: no client of the run used the feed',
  },
  {
    objective: { quantile: 0.9, recoverMsMax: 300 },
    points: [recovered(90, 200), sumPoint(10, { metric: 'feed_unrecovered' })],
    text: 'pass: p90 of time to recover at most 300 ms: 200 ms over 100 sockets',
  },
  {
    objective: { quantile: 0.9, recoverMsMax: 300 },
    points: [recovered(100, 301)],
    text: 'fail: p90 of time to recover at most 300 ms: 301 ms over 100 sockets',
  },
  {
    objective: { quantile: 0.9, recoverMsMax: 300 },
    text: 'inconclusive: p90 of time to recover at most 300 ms: no samples: no open sockets were cut, as --recover-within does in each trial',
  },
])('$text', ({ objective, points, text }) => {
  const judged = judgeSlo({ series: buildSeries([objective], points), seriesComplete: true })
  expect(judged?.objectives.map(formatResult)).toEqual([text])
})

function formatResult(result: ObjectiveResult): string {
  return `${result.verdict}: ${objectiveText(result)}: ${observedText(result)}`
}

function buildSeries(objectives: Objective[], points: readonly SeriesPoint[] = [requests(200, 8)]) {
  const series = createFoldedSeries({ slo: { name: 'test', objectives } })
  for (const point of points) foldPoint(series, point)
  return series
}

test('returns nothing without objectives', () => {
  expect(judgeSlo({ series: createFoldedSeries(), seriesComplete: true })).toBeNull()
})

test('without requests, there is no error rate', () => {
  const judged = judgeSlo({ series: buildSeries([ERRORS], []), seriesComplete: true })
  expect(judged?.objectives).toMatchObject([{ observedErrorRate: null, samples: 0 }])
})

test('with a part of the series missing, an objective may fail, but not pass', () => {
  const objectives: Objective[] = [
    { routeGroup: 'pools', quantile: 0.5, latencyMsMax: 9 },
    { routeGroup: 'pools', quantile: 0.5, latencyMsMax: 7 },
  ]
  const judged = judgeSlo({ series: buildSeries(objectives), seriesComplete: false })
  expect(judged?.objectives.map(({ verdict, reason }) => [verdict, reason])).toEqual([
    ['inconclusive', 'passed in the recorded part of the run'],
    ['fail', null],
  ])
})

test('ignores requests to other hosts than the target', () => {
  const objectives: Objective[] = [{ routeGroup: ALL, rateLimitedRateMax: 0 }]
  const own = requests(30, 8, { tags: { route_group: 'control-api', name: 'POST /', status: '429' } })
  const [result] =
    judgeSlo({ series: buildSeries(objectives, [own]), seriesComplete: true })?.objectives ?? []
  expect([result?.verdict, result?.samples]).toEqual(['inconclusive', 0])
})

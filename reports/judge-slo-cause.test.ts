import { expect, test } from 'vitest'
import type { SeriesPoint } from '../contract/series.ts'
import type { Objective } from '../contract/slo.ts'
import { judgeSlo } from './judge-slo.ts'
import { createFoldedSeries, foldPoint } from './series/fold-series.ts'
import { requests, sumPoint } from './series/test-points.ts'

const POOLS = { route_group: 'pools', name: 'GET /pools' }
const errorsAt = (time: number, status: string, sum: number) =>
  sumPoint(sum, { metric: 'http_req_failed', type: 'rate', count: 20, tags: { ...POOLS, status }, time })

test.each<[kind: string, objective: Objective, cause: string]>([
  ['errors', { routeGroup: '*', errorRateMax: 0.1 }, 'most often GET /pools: 503 (8 requests)'],
  ['429s', { routeGroup: '*', rateLimitedRateMax: 0.1 }, 'most often GET /pools (20 requests)'],
])('names the cause of %s of the whole run, but not of a window', (_, objective, cause) => {
  const windowed = { ...objective, windowSeconds: 2 }
  const series = createFoldedSeries({
    slo: { name: 'test', objectives: [objective, windowed] },
    slice: { trial: null, from: 100, to: 104 },
  })
  const points = [
    ...[100, 101, 102, 103].map((time) => requests(20, 8, { time })),
    ...[100, 102].map((time) => errorsAt(time, '503', 4)),
    errorsAt(103, '500', 7),
    requests(20, 8, { time: 103, tags: { ...POOLS, status: '429' } }),
  ]
  for (const point of points) foldPoint(series, point)
  const results = judgeSlo({ series, seriesComplete: true })?.objectives ?? []
  expect(results.map(({ verdict, reason }) => [verdict, reason])).toEqual([
    ['fail', cause],
    ['fail', null],
  ])
})

const failures = (name: string, sum: number, status = '503') => {
  const tags = { ...(name !== '' && { route_group: name, name: `GET /${name}` }), status }
  return [
    requests(100, 8, { tags: { ...tags, status: '200' } }),
    sumPoint(sum, { metric: 'http_req_failed', type: 'rate', count: 100, tags }),
  ]
}

test.each<{ what: string; objective: Objective; points: SeriesPoint[]; reason: string | null }>([
  {
    what: 'the most frequent failure, of any route',
    objective: { routeGroup: '*', errorRateMax: 0.01 },
    points: [...failures('pools', 5), ...failures('swaps', 9, '500'), ...failures('users', 7)],
    reason: 'most often GET /swaps: 500 (9 requests)',
  },
  {
    what: 'no route of another group',
    objective: { routeGroup: 'pools', errorRateMax: 0.01 },
    points: [...failures('pools', 5), ...failures('swaps', 9)],
    reason: 'most often GET /pools: 503 (5 requests)',
  },
  {
    what: 'no untagged route',
    objective: { routeGroup: '*', errorRateMax: 0.01 },
    points: [...failures('pools', 5), ...failures('', 9)],
    reason: 'most often GET /pools: 503 (5 requests)',
  },
  {
    what: 'nothing, if only untagged requests failed',
    objective: { routeGroup: '*', errorRateMax: 0.01 },
    points: failures('', 9),
    reason: null,
  },
  {
    what: 'no errors as the cause of latency',
    objective: { routeGroup: '*', quantile: 0.5, latencyMsMax: 7 },
    points: failures('pools', 5),
    reason: null,
  },
])('names $what', ({ objective, points, reason }) => {
  const series = createFoldedSeries({ slo: { name: 'test', objectives: [objective] } })
  for (const point of points) foldPoint(series, point)
  const judged = judgeSlo({ series, seriesComplete: true })
  expect(judged?.objectives).toMatchObject([{ verdict: 'fail', reason }])
})

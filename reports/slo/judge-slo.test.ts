import { expect, test } from 'vitest'
import type { Objective } from '../../contract/slo.ts'
import { objectiveText, observedText } from '../objective-text.ts'
import { createFoldedSeries, foldPoint } from '../series/fold-series.ts'
import { judgeSlo } from './judge-slo.ts'

type Row = { objective: Objective; requests?: number; failed?: number; dropped?: number; told: string }

// Every request took 8 ms, give or take 0.3 %.
test.each<Row>([
  {
    objective: { routeGroup: 'pools', quantile: 0.95, latencyMsMax: 8.1 },
    told: 'pass: p95 of pools at most 8.1 ms: 8 ms over 200 requests',
  },
  {
    objective: { routeGroup: '*', quantile: 0.95, latencyMsMax: 7.9 },
    told: 'fail: p95 of all requests at most 7.9 ms: 8 ms over 200 requests',
  },
  {
    objective: { routeGroup: 'pools', quantile: 0.999, latencyMsMax: 9 },
    told: 'inconclusive: p99.9 of pools at most 9 ms: too few samples (200 of 10000)',
  },
  {
    objective: { routeGroup: 'pools', quantile: 0.5, latencyMsMax: 9 },
    requests: 19,
    told: 'inconclusive: p50 of pools at most 9 ms: too few samples (19 of 20)',
  },
  {
    objective: { routeGroup: 'swaps', quantile: 0.5, latencyMsMax: 9 },
    told: 'inconclusive: p50 of swaps at most 9 ms: the run has no route group "swaps"; it has pools',
  },
  {
    objective: { routeGroup: '*', quantile: 0.5, latencyMsMax: 9 },
    requests: 0,
    told: 'inconclusive: p50 of all requests at most 9 ms: no samples',
  },
  {
    objective: { routeGroup: '*', quantile: 0.95, latencyMsMax: 9 },
    dropped: 11,
    told: 'fail: p95 of all requests at most 9 ms: infinite over 211 requests',
  },
  {
    objective: { routeGroup: 'pools', quantile: 0.95, latencyMsMax: 9 },
    dropped: 11,
    told: 'pass: p95 of pools at most 9 ms: 8 ms over 200 requests',
  },
  {
    objective: { routeGroup: 'pools', errorRateMax: 0.01 },
    failed: 2,
    told: 'pass: errors of pools at most 1 %: 1 % of 200 requests',
  },
  {
    objective: { routeGroup: '*', errorRateMax: 0.01 },
    failed: 3,
    told: 'fail: errors of all requests at most 1 %: 1.5 % of 200 requests',
  },
  {
    objective: { routeGroup: '*', errorRateMax: 0.01 },
    requests: 0,
    told: 'inconclusive: errors of all requests at most 1 %: no samples',
  },
])('$told', (row) => {
  const judged = judgeSlo({ series: seriesOf(row, [row.objective]), seriesComplete: true })
  const told = judged?.objectives.map(
    (objective) => `${objective.verdict}: ${objectiveText(objective)}: ${observedText(objective)}`,
  )
  expect(told).toEqual([row.told])
})

test('without objectives there is nothing to judge', () => {
  expect(judgeSlo({ series: createFoldedSeries(), seriesComplete: true })).toBeNull()
})

function seriesOf({ requests = 200, failed = 0, dropped = 0 }: Partial<Row>, objectives: Objective[]) {
  const series = createFoldedSeries({ slo: { name: 'test', objectives } })
  const common = { time: 1, contains: 'default', tags: { route_group: 'pools', name: 'GET /pools' } }
  if (requests > 0) {
    foldPoint(series, {
      ...common,
      metric: 'http_req_duration',
      type: 'trend',
      count: requests,
      sum: 8 * requests,
      min: 8,
      max: 8,
      zero: 0,
      buckets: [[383, requests]],
    })
    foldPoint(series, { ...common, metric: 'http_req_failed', type: 'rate', count: requests, sum: failed })
  }
  foldPoint(series, { ...common, metric: 'dropped_iterations', type: 'counter', count: 1, sum: dropped })
  return series
}

test('with a part of the series missing, an objective may fail, but not pass', () => {
  const objectives: Objective[] = [
    { routeGroup: 'pools', quantile: 0.5, latencyMsMax: 9 },
    { routeGroup: 'pools', quantile: 0.5, latencyMsMax: 7 },
  ]
  const judged = judgeSlo({ series: seriesOf({}, objectives), seriesComplete: false })
  expect(judged?.objectives.map(({ verdict, reason }) => [verdict, reason])).toEqual([
    ['inconclusive', 'held in the part of the run that is known'],
    ['fail', null],
  ])
})

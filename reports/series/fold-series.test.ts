import fc from 'fast-check'
import { expect, test } from 'vitest'
import { GENERATOR_LAG, HEARTBEAT } from '../../contract/scenario-config.ts'
import {
  DUE_ITERATIONS,
  LATENESS,
  RESPONSE_TIME,
  type SeriesPoint,
  SINCE_DUE,
} from '../../contract/series.ts'
import { createFoldedSeries, type FoldedSeries, foldPoint } from './fold-series.ts'
import type { Slice } from './point.ts'
import { groupRoutes } from './tally.ts'
import { requests, sumPoint, trendPoint } from './test-points.ts'

const point = fc
  .record({
    time: fc.integer({ min: 100, max: 120 }),
    trial: fc.integer({ min: 1, max: 3 }),
    count: fc.integer({ min: 1, max: 9 }),
    status: fc.constantFrom('200', '429'),
    metric: fc.constantFrom(SINCE_DUE, DUE_ITERATIONS, 'iterations', 'dropped_iterations', 'generator_lag'),
  })
  .map(({ time, trial, count, status, metric }): SeriesPoint => {
    const tags = { trial: String(trial), route_group: 'pools', name: 'GET /pools', status }
    if (metric === SINCE_DUE) return requests(count, 10, { time, tags })
    if (metric === 'generator_lag') return trendPoint(Array<number>(count).fill(2), { metric, time, tags })
    return sumPoint(count, { metric, time, tags })
  })

const second = fc.integer({ min: 100, max: 121 })

test('two adjacent slices add up to the whole', () => {
  fc.assert(
    fc.property(fc.array(point), second, fc.constantFrom(1, 2, 3, null), (points, cut, trial) => {
      const slice = (from: number | null, to: number | null) =>
        figures(foldPoints(points, { trial, from, to }))
      const ofTrial = points.filter(({ tags }) => trial === null || tags.trial === String(trial))
      expect(slice(null, null)).toEqual(figures(foldPoints(ofTrial)))
      expect(slice(null, cut).map((figure, place) => figure + (slice(cut, null)[place] ?? 0))).toEqual(
        slice(null, null),
      )
    }),
    { seed: 1 },
  )
})

test('counts 429s by route and in total', () => {
  const tags = { route_group: 'pools', name: 'GET /pools', status: '429' }
  const series = foldPoints([requests(7, 10), requests(3, 10, { tags })])
  expect(groupRoutes(series).map(({ routeGroup, rateLimited }) => [routeGroup, rateLimited])).toEqual([
    ['*', 3],
    ['pools', 3],
  ])
  expect(figures(series)[0]).toBe(10)
})

test('latency counts from when requests were due; response time and lateness are apart', () => {
  const late = trendPoint([70, 90], { metric: LATENESS, tags: TAGS })
  const took = trendPoint([10, 30], { metric: RESPONSE_TIME, tags: TAGS })
  const series = foldPoints([trendPoint([80, 120], { metric: SINCE_DUE, tags: TAGS }), took, late])
  expect(series.requestMs).toBe(40)
  for (const times of [...groupRoutes(series), ...series.routes.values()]) {
    const { latency, responseTime, lateness } = times
    expect([latency, responseTime, lateness].map(({ count, max }) => [count, max])).toEqual([
      [2, 120],
      [2, 30],
      [2, 90],
    ])
  }
})

test('heartbeats give the lag of k6, and no iterations of clients', () => {
  const tags = { scenario: HEARTBEAT }
  const series = foldPoints([
    sumPoint(1, { metric: 'iterations', tags }),
    trendPoint([6000], { metric: 'iteration_duration', tags }),
    trendPoint([2, 4], { metric: GENERATOR_LAG, tags }),
    sumPoint(30, { metric: 'iterations', tags: { scenario: 'readers' } }),
  ])
  const { iterations, iterationDuration, generatorLag } = series
  expect([iterations, iterationDuration.count, generatorLag.count]).toEqual([30, 0, 2])
})

const TAGS = { route_group: 'pools', name: 'GET /pools', status: '200' }

test('knows the load start of the trial, even before the slice', () => {
  const began = (trial: string, time: number, ms: number) =>
    sumPoint(ms, { metric: 'load_start', type: 'gauge', time, min: ms, max: ms, last: ms, tags: { trial } })
  const points = [began('1', 100, 100_500), began('2', 200, 200_500), began('2', 200, 200_700)]
  expect(foldPoints(points, { trial: 2, from: 205, to: 210 }).loadStartMs).toBe(200_700)
})

function foldPoints(points: readonly SeriesPoint[], slice?: Slice): FoldedSeries {
  const series = createFoldedSeries(slice === undefined ? {} : { slice })
  for (const each of points) foldPoint(series, each)
  return series
}

function figures(series: FoldedSeries): number[] {
  const requestCounts = [...series.routes.values()].map(({ latency }) => latency.count)
  const refusedCounts = [...series.routes.values()].map(({ rateLimited }) => rateLimited)
  const sum = (counts: readonly number[]) => counts.reduce((total, count) => total + count, 0)
  return [
    sum(requestCounts),
    sum(refusedCounts),
    series.dueIterations ?? 0,
    series.iterations,
    series.droppedIterations,
    series.generatorLag.count,
  ]
}

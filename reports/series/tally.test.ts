import { expect, test } from 'vitest'
import { createFoldedSeries, foldPoint } from './fold-series.ts'
import { groupRoutes } from './tally.ts'
import { requests, sumPoint } from './test-points.ts'

test('sums routes by group, in the order of their names; dropped iterations count only in `*`', () => {
  const series = createFoldedSeries()
  const routes = [
    { group: 'swaps', name: 'GET /swaps', judged: 8, failed: 1 },
    { group: 'users', name: 'GET /users', judged: 9, failed: 0 },
    { group: 'pools', name: 'GET /pools', judged: 10, failed: 2 },
    { group: 'pools', name: 'GET /pools/{id}', judged: 20, failed: 4 },
  ]
  for (const { group, name, judged, failed } of routes) {
    const tags = { route_group: group, name, status: '429' }
    foldPoint(series, requests(judged - failed, 8, { tags }))
    foldPoint(series, sumPoint(failed, { metric: 'http_req_failed', type: 'rate', count: judged, tags }))
  }
  foldPoint(series, sumPoint(3, { metric: 'dropped_iterations' }))
  const groups = groupRoutes(series).map(({ routeGroup, latency, judged, failed, rateLimited }) => [
    routeGroup,
    ...[latency.count, latency.infinite, judged, failed, rateLimited],
  ])
  expect(groups).toEqual([
    ['*', 43, 3, 47, 7, 40],
    ['pools', 24, 0, 30, 6, 24],
    ['swaps', 7, 0, 8, 1, 7],
    ['users', 9, 0, 9, 0, 9],
  ])
})

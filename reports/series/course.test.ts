import { expect, test } from 'vitest'
import type { SeriesPoint } from '../../contract/series.ts'
import { type Course, createCourse, foldCourse, GROUPS_MAX } from './course.ts'
import { requests, sumPoint, trendPoint } from './test-points.ts'

const inGroup = (route_group: string, time = 1) => ({ time, tags: { route_group, name: 'GET /x' } })

test('requests count in all, and in their group', () => {
  const course = buildCourse([
    requests(3, 8, inGroup('pools')),
    requests(2, 8, inGroup('swaps')),
    sumPoint(1, { metric: 'http_req_failed', type: 'rate', ...inGroup('swaps') }),
    requests(4, 8, inGroup('pools', 2)),
  ])
  expect([...course.requests.byIndex.values()].map(formatFigures)).toEqual(['5, 1 failed', '4, 0 failed'])
  expect([...course.groups.byIndex.values()].map((groups) => [...groups.keys()])).toEqual([
    ['pools', 'swaps'],
    ['pools'],
  ])
  expect(formatFigures(course.groups.byIndex.get(1)?.get('swaps'))).toBe('2, 1 failed')
  expect([course.firstSecond, course.lastSecond]).toEqual([1, 2])
})

test('counts dropped iterations as infinite for all requests only', () => {
  const course = buildCourse([sumPoint(2, { metric: 'dropped_iterations', tags: { route_group: 'pools' } })])
  expect(course.requests.byIndex.get(1)).toMatchObject({ dropped: 2, requests: 0, latency: { infinite: 2 } })
  expect(course.groups.byIndex.size).toBe(0)
})

test('ignores control API requests and other metrics', () => {
  const course = buildCourse([requests(3, 8, inGroup('control-api')), sumPoint(3, { metric: 'iterations' })])
  expect(course).toEqual(createCourse())
})

test('limits the number of groups; all requests include the rest', () => {
  const names = Array.from({ length: GROUPS_MAX + 3 }, (_, index) => `group-${index}`)
  const course = buildCourse(names.map((name) => requests(1, 8, inGroup(name))))
  expect([...course.groupNames]).toEqual(names.slice(0, GROUPS_MAX))
  expect(course.groups.byIndex.get(1)?.size).toBe(GROUPS_MAX)
  expect(course.requests.byIndex.get(1)?.requests).toBe(names.length)
})

test('has feed delays, and sockets by outcome', () => {
  const course = buildCourse([
    trendPoint([4, 6], { metric: 'feed_delay_lower_bound' }),
    trendPoint([5, 7, 9], { metric: 'feed_delay_upper_bound' }),
    trendPoint([30], { metric: 'feed_synchronize' }),
    sumPoint(3, { metric: 'feed_sockets', tags: { outcome: 'served' } }),
    sumPoint(2, { metric: 'feed_sockets', tags: { outcome: 'unresponsive' } }),
    sumPoint(9, { metric: 'feed_sockets', tags: { outcome: 'opened' } }),
    sumPoint(5, { metric: 'ws_sessions' }),
    sumPoint(70, { metric: 'ws_msgs_received' }),
  ])
  const { trends, counts } = course.feed.byIndex.get(1) ?? {}
  expect(counts).toEqual({ opened: 5, served: 3, unresponsive: 2, rejected: 0, received: 70 })
  expect([trends?.least.count, trends?.most.count, trends?.synchronize.count]).toEqual([2, 3, 1])
})

function buildCourse(points: readonly SeriesPoint[]): Course {
  const course = createCourse()
  for (const point of points) foldCourse(course, point)
  return course
}

function formatFigures(window: { requests: number; failed: number } | undefined): string {
  return `${window?.requests}, ${window?.failed} failed`
}

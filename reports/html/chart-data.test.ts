import { expect, test } from 'vitest'
import { type Course, createCourse, foldCourse } from '../series/course.ts'
import { requests, sumPoint } from '../series/test-points.ts'
import { type ChartData, chartData } from './chart-data.ts'

test('where a second has too few requests for a quantile, its line takes wider windows', () => {
  const [all] = chartsOf(courseOf({ seconds: 64, perSecond: 50 })).groups
  expect(all?.latency.lines.map(({ label }) => label)).toEqual([
    'p5 of 4 s',
    'p25 of 1 s',
    'p50 of 1 s',
    'p75 of 1 s',
    'p95 of 4 s',
    'max',
  ])
  expect(all?.latency.bands).toEqual([
    ['p5', 'p95'],
    ['p25', 'p75'],
  ])
})

test('with few requests only the slowest are drawn', () => {
  const [all] = chartsOf(courseOf({ seconds: 8, perSecond: 1 })).groups
  expect(all?.latency.lines.map(({ label }) => label)).toEqual(['max'])
  expect(all?.latency.bands).toEqual([])
})

test('the axis of latency is logarithmic where the spread asks for it', () => {
  const spread = (slowMs: number) => {
    const course = createCourse()
    for (let second = 1; second <= 8; second += 1) {
      for (const ms of [2, slowMs]) foldCourse(course, requests(100, ms, { time: second }))
    }
    return chartsOf(course).groups[0]?.latency.logarithmic
  }
  expect([spread(59), spread(62)]).toEqual([false, true])
})

test('draws no line across seconds that were not measured', () => {
  const course = courseOf({ seconds: 2, perSecond: 30 })
  foldCourse(course, requests(30, 8, { time: 11 }))
  const { groups, seconds } = chartsOf(course)
  expect(seconds).toBe(11)
  expect(groups[0]?.seconds).toEqual([0, 1, 2, 10])
  expect(rateOf(groups[0], 'requests')).toEqual([30, 30, null, 30])
})

test('a quantile that dropped iterations reach is a gap, and the iterations are told', () => {
  const course = courseOf({ seconds: 4, perSecond: 30 })
  foldCourse(course, sumPoint(31, { metric: 'dropped_iterations', time: 3 }))
  const [all] = chartsOf(course).groups
  expect(all?.latency.lines.find(({ name }) => name === 'p50')?.values).toEqual([8, 8, null, 8])
  expect(rateOf(all, 'dropped')).toEqual([0, 0, 31, 0])
})

test('a group has charts of its own, in which a second without any of its requests is a rate of 0', () => {
  const course = createCourse()
  for (const time of [1, 2, 3]) foldCourse(course, requests(30, 8, { time, ...IN('pools') }))
  foldCourse(course, requests(7, 16, { time: 2, ...IN('swaps') }))
  const { groups } = chartsOf(course)
  expect(groups.map(({ name }) => name)).toEqual(['*', 'pools', 'swaps'])
  expect(rateOf(groups[2], 'requests')).toEqual([0, 7, 0])
  expect(rateOf(groups[2], 'dropped')).toBeUndefined()
  expect(groups[2]?.latency.lines.map(({ values }) => values)).toEqual([[null, 16, null]])
})

test('a run with one group has the charts of all requests alone', () => {
  expect(chartsOf(courseOf({ seconds: 2, perSecond: 1 })).groups.map(({ name }) => name)).toEqual(['*'])
})

test('a run without measurements has no charts', () => {
  expect(chartData({ course: createCourse(), trials: [], capacity: null })).toBeUndefined()
})

const IN = (route_group: string) => ({ tags: { route_group, name: 'GET /x' } })

function courseOf({ seconds, perSecond }: { seconds: number; perSecond: number }): Course {
  const course = createCourse()
  for (let second = 1; second <= seconds; second += 1) {
    foldCourse(course, requests(perSecond, 8, { time: second }))
  }
  return course
}

function chartsOf(course: Course): ChartData {
  const charts = chartData({ course, trials: [], capacity: null })
  if (charts === undefined) throw new Error('nothing is drawn')
  return charts
}

function rateOf(group: ChartData['groups'][number] | undefined, name: string) {
  return group?.rates.find(({ label }) => label === name)?.values
}

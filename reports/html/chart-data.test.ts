import { expect, test } from 'vitest'
import { createWindows, type Windows, windowAt } from '../series/windows.ts'
import { addInfinite, addPart } from '../statistics/histogram.ts'
import { chartData } from './chart-data.ts'

test('where a second has too few requests for a quantile, its line takes wider windows', () => {
  const data = chartData(windowsOf({ seconds: 64, perSecond: 50 }))
  expect(data?.latency.map(({ label }) => label)).toEqual(['p50 of 1 s', 'p95 of 4 s', 'max'])
})

test('with few requests only the slowest are drawn', () => {
  expect(chartData(windowsOf({ seconds: 8, perSecond: 1 }))?.latency.map(({ label }) => label)).toEqual([
    'max',
  ])
})

test('draws no line across seconds that were not measured', () => {
  const windows = windowsOf({ seconds: 2, perSecond: 30 })
  addRequests(windows, 10, 30)
  const data = chartData(windows)
  expect(data?.seconds).toEqual([0, 1, 2, 10])
  expect(data?.rates.find(({ label }) => label === 'requests')?.values).toEqual([30, 30, null, 30])
})

test('a quantile that dropped iterations reach is a gap', () => {
  const windows = windowsOf({ seconds: 4, perSecond: 30 })
  addInfinite(windowAt(windows, 2).latency, 31)
  expect(chartData(windows)?.latency[0]?.values).toEqual([8, 8, null, 8])
})

test('a run without measurements has no charts', () => {
  expect(chartData(createWindows())).toBeUndefined()
})

function windowsOf({ seconds, perSecond }: { seconds: number; perSecond: number }): Windows {
  const windows = createWindows()
  for (let second = 0; second < seconds; second += 1) addRequests(windows, second, perSecond)
  return windows
}

function addRequests(windows: Windows, second: number, count: number): void {
  const window = windowAt(windows, second)
  window.requests += count
  addPart(window.latency, { count, min: 8, max: 8, zero: 0, buckets: [[383, count]] })
}

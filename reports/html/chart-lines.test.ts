import { expect, test } from 'vitest'
import {
  createWindows,
  REQUEST_WINDOWS,
  type RequestWindow,
  type Windows,
  windowAt,
} from '../series/windows.ts'
import { addPart } from '../statistics/histogram.ts'
import { percentileLines } from './chart-lines.ts'

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

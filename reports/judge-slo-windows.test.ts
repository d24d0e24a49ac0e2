import { expect, test } from 'vitest'
import type { ObjectiveResult } from '../contract/report.ts'
import type { SeriesPoint } from '../contract/series.ts'
import type { Objective } from '../contract/slo.ts'
import { judgeSlo } from './judge-slo.ts'
import { objectiveText, observedText } from './objective-text.ts'
import { createFoldedSeries, foldPoint } from './series/fold-series.ts'
import type { Slice } from './series/point.ts'
import { requests, sumPoint, trendPoint } from './series/test-points.ts'

const OBJECTIVE: Objective = { routeGroup: '*', quantile: 0.5, latencyMsMax: 100, windowSeconds: 2 }

type Row = {
  what: string
  /** By second from 100: the latency of its requests, or none. */
  ms: readonly (number | null)[]
  count?: number
  slice?: Partial<Slice>
  text: string
  windows: readonly [judged: number, failed: number, inconclusive: number]
}

test.each<Row>([
  {
    what: 'every window passes',
    ms: [10, 20, 30, 30],
    text: 'pass: 30 ms in the worst of 2 windows (0 failed); 80 requests in total',
    windows: [2, 0, 0],
  },
  {
    what: 'one window fails, although the whole run would pass',
    ms: [10, 10, 10, 10, 900, 900],
    text: 'fail: 900 ms in the worst of 3 windows (1 failed); 120 requests in total',
    windows: [3, 1, 0],
  },
  {
    what: 'a window without responses prevents a pass',
    ms: [10, 10, null, null, 10, 10],
    text: 'inconclusive: 1 of 3 windows have too few samples',
    windows: [2, 0, 1],
  },
  {
    what: 'a failed window decides, even if others are unknown',
    ms: [null, null, 900, 900, 10, 10],
    slice: { from: 100 },
    text: 'fail: 900 ms in the worst of 2 windows (1 failed); 80 requests in total',
    windows: [2, 1, 1],
  },
  {
    what: 'a part of a window at either end is not judged',
    ms: [900, 10, 10, 10, 10, 900],
    slice: { from: 101, to: 106 },
    text: 'pass: 10 ms in the worst of 2 windows (0 failed); 100 requests in total',
    windows: [2, 0, 0],
  },
  {
    what: 'without a slice, windows begin at whole multiples of their width',
    ms: [null, 900, 10, 10, 10, 10, 900],
    text: 'pass: 10 ms in the worst of 2 windows (0 failed); 120 requests in total',
    windows: [2, 0, 0],
  },
  {
    what: 'less than one window was measured',
    ms: [10],
    text: 'inconclusive: no whole window of 2 s was measured',
    windows: [0, 0, 0],
  },
  {
    what: 'a clock that jumps by centuries puts billions of windows into the run',
    ms: [10, 10],
    slice: { from: 100, to: 2 ** 33 },
    text: 'inconclusive: 4294967245 of 4294967246 windows have too few samples',
    windows: [1, 0, 4294967245],
  },
  {
    what: 'no requests in any window',
    ms: [],
    slice: { from: 100, to: 104 },
    text: 'inconclusive: no samples',
    windows: [0, 0, 2],
  },
  ...[{}, { from: 100 }, { to: 104 }].map((slice) => ({
    what: `no requests and no windows: ${JSON.stringify(slice)}`,
    ms: [],
    slice,
    text: 'inconclusive: no samples',
    windows: [0, 0, 0] as const,
  })),
  {
    what: 'too few samples in any window',
    ms: [10, 10, 10, 10],
    count: 9,
    text: 'inconclusive: 2 of 2 windows have too few samples',
    windows: [0, 0, 2],
  },
])('$what', ({ ms, count = 20, slice = {}, text, windows }) => {
  const points = [...ms.entries()].flatMap(([second, each]) =>
    each === null ? [] : [requests(count, each, { time: 100 + second })],
  )
  const result = judge(OBJECTIVE, points, slice)
  expect(objectiveText(result)).toBe('p50 of all requests at most 100 ms in each 2 s')
  expect(`${result.verdict}: ${observedText(result)}`).toBe(text)
  const [judged, failed, inconclusive] = windows
  expect(result.windows).toEqual({ judged, failed, inconclusive })
})

/** By window from 100: the lower and upper bound of the delay of its events. */
test.each<{ what: string; bounds: readonly (readonly [least: number, most: number])[]; text: string }>([
  {
    what: 'of equal lower bounds, the highest upper bound is the worst',
    bounds: [
      [100, 200],
      [100, 400],
      [100, 300],
    ],
    text: 'pass: between 100 ms and 400 ms in the worst of 3 windows (0 failed); 60 events in total',
  },
  {
    what: 'the lower bound decides first',
    bounds: [
      [100, 400],
      [150, 200],
      [100, 300],
    ],
    text: 'pass: between 150 ms and 200 ms in the worst of 3 windows (0 failed); 60 events in total',
  },
  {
    what: 'an imprecise window prevents a pass, and the worst of them is reported',
    bounds: [
      [100, 600],
      [200, 700],
      [450, 500],
    ],
    text: `inconclusive: between 200 ms and 700 ms in the worst of 3 windows (0 failed); 60 events in total: the delay is not known precisely enough, because of the clock offset between target and load generator or because event times have a coarse unit, such as whole seconds`,
  },
  {
    what: 'a failed window decides, even if others are imprecise',
    bounds: [
      [100, 600],
      [501, 700],
    ],
    text: 'fail: between 501 ms and 700 ms in the worst of 2 windows (1 failed); 40 events in total',
  },
])('feed delay: $what', ({ bounds, text }) => {
  const points = bounds.flatMap(([least, most], window) => [
    trendPoint(Array<number>(20).fill(least), { metric: 'feed_delay_lower_bound', time: 100 + 2 * window }),
    trendPoint(Array<number>(20).fill(most), { metric: 'feed_delay_upper_bound', time: 101 + 2 * window }),
  ])
  const result = judge({ quantile: 0.5, feedDelayMsMax: 500, windowSeconds: 2 }, points)
  expect(`${result.verdict}: ${observedText(result)}`).toBe(text)
})

test.each([
  [0.4, 'pass: 40 % in the worst of 3 windows (0 failed); 30 iterations in total'],
  [0.3, 'fail: 40 % in the worst of 3 windows (1 failed); 30 iterations in total'],
  [0.1, 'fail: 40 % in the worst of 3 windows (2 failed); 30 iterations in total'],
])('a share is judged by its highest in a window: at most %d', (droppedRateMax, text) => {
  const points = [1, 4, 2].flatMap((dropped, window) => [
    sumPoint(10 - dropped, { metric: 'iterations', time: 100 + 2 * window }),
    sumPoint(dropped, { metric: 'dropped_iterations', time: 101 + 2 * window }),
  ])
  const result = judge({ droppedRateMax, windowSeconds: 2 }, points)
  expect(`${result.verdict}: ${observedText(result)}`).toBe(text)
})

function judge(
  objective: Objective,
  points: readonly SeriesPoint[],
  slice: Partial<Slice> = {},
): ObjectiveResult {
  const series = createFoldedSeries({
    slo: { name: 'test', objectives: [objective] },
    slice: { trial: null, from: null, to: null, ...slice },
  })
  for (const point of points) foldPoint(series, point)
  const [result] = judgeSlo({ series, seriesComplete: true })?.objectives ?? []
  if (result === undefined) throw new Error('no result')
  return result
}

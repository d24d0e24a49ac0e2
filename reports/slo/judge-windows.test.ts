import { expect, test } from 'vitest'
import type { Objective } from '../../contract/slo.ts'
import { objectiveText, observedText } from '../objective-text.ts'
import { createFoldedSeries, foldPoint } from '../series/fold-series.ts'
import type { Slice } from '../series/slice.ts'
import { requests } from '../series/test-points.ts'
import { judgeSlo } from './judge-slo.ts'

const OBJECTIVE: Objective = { routeGroup: '*', quantile: 0.5, latencyMsMax: 100, windowSeconds: 2 }

type Row = {
  what: string
  /** By second from 100: how long each of so many requests took, or none. */
  ms: readonly (number | null)[]
  count?: number
  slice?: Partial<Slice>
  objective?: Objective
  told: string
  windows: [judged: number, failed: number, unjudged: number]
}

test.each<Row>([
  {
    what: 'every window holds',
    ms: [10, 20, 30, 30],
    told: 'pass: 30 ms in the worst of 2 windows, of which 0 failed; 80 requests in all',
    windows: [2, 0, 0],
  },
  {
    what: 'one window breaks it, though the whole would hold',
    ms: [10, 10, 10, 10, 900, 900],
    told: 'fail: 900 ms in the worst of 3 windows, of which 1 failed; 120 requests in all',
    windows: [3, 1, 0],
  },
  {
    what: 'a window in which nothing was answered keeps it from passing',
    ms: [10, 10, null, null, 10, 10],
    told: 'inconclusive: 1 of 3 windows have too few samples',
    windows: [2, 0, 1],
  },
  {
    what: 'a broken window fails, whatever is not known of others',
    ms: [null, null, 900, 900, 10, 10],
    slice: { from: 100 },
    told: 'fail: 900 ms in the worst of 2 windows, of which 1 failed; 80 requests in all',
    windows: [2, 1, 1],
  },
  {
    what: 'a part of a window at either end is not judged',
    ms: [900, 10, 10, 10, 10, 900],
    slice: { from: 101, to: 106 },
    told: 'pass: 10 ms in the worst of 2 windows, of which 0 failed; 100 requests in all',
    windows: [2, 0, 0],
  },
  {
    what: 'without a slice, windows begin at whole multiples of their width',
    ms: [null, 900, 10, 10, 10, 10, 900],
    told: 'pass: 10 ms in the worst of 2 windows, of which 0 failed; 120 requests in all',
    windows: [2, 0, 0],
  },
  {
    what: 'less than one window was measured',
    ms: [10],
    told: 'inconclusive: no whole window of 2 s was measured',
    windows: [0, 0, 0],
  },
  {
    what: 'too few samples in any window',
    ms: [10, 10, 10, 10],
    count: 9,
    told: 'inconclusive: 2 of 2 windows have too few samples',
    windows: [0, 0, 2],
  },
])('$what', ({ ms, count = 20, slice = {}, told, windows }) => {
  const series = createFoldedSeries({
    slo: { name: 'test', objectives: [OBJECTIVE] },
    slice: { trial: null, from: null, to: null, ...slice },
  })
  for (const [second, each] of ms.entries()) {
    if (each !== null) foldPoint(series, requests(count, each, { time: 100 + second }))
  }
  const [result] = judgeSlo({ series, seriesComplete: true })?.objectives ?? []
  if (result === undefined) throw new Error('no result')
  expect(objectiveText(result)).toBe('p50 of all requests at most 100 ms in each 2 s')
  expect(`${result.verdict}: ${observedText(result)}`).toBe(told)
  const [judged, failed, unjudged] = windows
  expect(result.windows).toEqual({ judged, failed, unjudged })
})

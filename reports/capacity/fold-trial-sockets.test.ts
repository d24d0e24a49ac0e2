import { expect, test } from 'vitest'
import type { TrialFacts } from '../../contract/capacity.ts'
import {
  FEED_DELAY_UPPER_BOUND,
  FEED_RESYNCS,
  FEED_SOCKETS,
  FEED_SOCKETS_DUE,
  FEED_SOCKETS_HELD,
  FEED_UNMEASURED,
  type SeriesPoint,
} from '../../contract/series.ts'
import { createFoldedSeries, foldPoint } from '../series/fold-series.ts'
import { bucketSamples } from '../synthetic-run.ts'
import { NOT_DUE } from './fold-sockets.ts'
import { foldTrialResult } from './fold-trial-result.ts'
import { sampleTrial } from './sample-capacity.ts'

const SLO = { name: 'test', objectives: [{ quantile: 0.9, synchronizeMsMax: 2000 }] }

const FACTS: TrialFacts = {
  trial: 1,
  phase: 'search',
  axis: 'sockets',
  rate: 400,
  rateFrom: null,
  warmUpSeconds: 1,
  seconds: 5,
  judgedFrom: 1000,
  judgedTo: 1005,
  ended: 'completed',
  reason: null,
  instances: 1,
  vusMax: 20,
  generator: sampleTrial({ trial: 1, rate: 1, meanMs: 1 }).generator,
  target: null,
}

const counter = (metric: string, sum: number, tags = {}): SeriesPoint => ({
  time: 1002,
  metric,
  type: 'counter',
  contains: 'default',
  tags: { trial: '1', ...tags },
  count: 1,
  sum,
})

const trend = (metric: string, ms: number, count: number): SeriesPoint => ({
  ...counter(metric, ms * count),
  type: 'trend',
  count,
  min: ms,
  max: ms,
  zero: 0,
  buckets: bucketSamples([ms]).map(([index]) => [index, count] as const),
})

function judge(points: readonly SeriesPoint[], axis: TrialFacts['axis'] = 'sockets') {
  const series = createFoldedSeries({ slo: SLO, slice: { trial: 1, from: 1000, to: 1005 } })
  for (const point of points) foldPoint(series, point)
  return foldTrialResult({ facts: { ...FACTS, axis }, series, seriesComplete: true, isTargetLocal: false })
}

const OPENED = [
  counter(FEED_SOCKETS, 400, { outcome: 'served' }),
  counter(FEED_SOCKETS, 7, { outcome: 'rejected' }),
  trend('feed_synchronize', 12, 400),
  trend('ws_connecting', 3, 400),
  counter('ws_msgs_received', 2500),
]

// Three seconds of 400 sockets.
test.each([
  { held: 1200, outcome: 'pass', reason: 'all objectives passed' },
  { held: 1188, outcome: 'pass', reason: 'all objectives passed' },
  { held: 1185, outcome: 'fail', reason: 'only 395 of 400 sockets were served on average' },
])('$held of 1200 socket seconds served: $outcome', ({ held, outcome, reason }) => {
  const result = judge([...OPENED, counter(FEED_SOCKETS_DUE, 1200), counter(FEED_SOCKETS_HELD, held)])
  expect(result).toMatchObject({ axis: 'sockets', outcome, reason, throughput: held / 3 })
  expect(result.sockets).toEqual({
    served: 400,
    failed: 7,
    handshakeP90Ms: expect.closeTo(3, 1),
    synchronizeP90Ms: expect.closeTo(12, 1),
    messagesPerSecond: 500,
    eventsPerSecond: 0,
    feedDelayP95Ms: null,
    resyncs: 0,
  })
})

test('without a count of the sockets that were served, a trial is inconclusive', () => {
  expect(judge(OPENED)).toMatchObject({ outcome: 'inconclusive', reason: NOT_DUE, throughput: 0 })
})

test.each([
  { resyncs: 4, outcome: 'pass', reason: 'all objectives passed' },
  { resyncs: 5, outcome: 'fail', reason: 'events were lost: 5 times resync_required' },
])('$resyncs of 400 sockets lost events: $outcome', ({ resyncs, outcome, reason }) => {
  const points = [
    ...OPENED,
    counter(FEED_SOCKETS_DUE, 1200),
    counter(FEED_SOCKETS_HELD, 1200),
    trend(FEED_DELAY_UPPER_BOUND, 40, 1900),
    counter(FEED_UNMEASURED, 100, { reason: 'no-time' }),
    counter(FEED_RESYNCS, resyncs),
  ]
  const result = judge(points, 'events')
  expect(result).toMatchObject({ outcome, reason })
  expect(result.sockets).toMatchObject({
    eventsPerSecond: 400,
    feedDelayP95Ms: expect.closeTo(40, 0),
    resyncs,
  })
  expect(judge(points).outcome).toBe('pass')
})

import { expect, test } from 'vitest'
import type { TrialFacts } from '../../contract/capacity.ts'
import {
  FEED_DELAY_UPPER_BOUND,
  FEED_RECOVERY,
  FEED_RESYNCS,
  FEED_ROOMS_UNKNOWN,
  FEED_SOCKETS,
  FEED_SOCKETS_DUE,
  FEED_SOCKETS_HELD,
  FEED_UNMEASURED,
  FEED_UNRECOVERED,
  type SeriesPoint,
} from '../../contract/series.ts'
import type { Slo } from '../../contract/slo.ts'
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

function judge(points: readonly SeriesPoint[], axis: TrialFacts['axis'] = 'sockets', slo: Slo = SLO) {
  const series = createFoldedSeries({ slo, slice: { trial: 1, from: 1000, to: 1005 } })
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

// 1000 sockets were cut at once.
test.each([
  { unrecovered: 10, outcome: 'pass', reason: 'all objectives passed' },
  {
    unrecovered: 11,
    outcome: 'fail',
    reason: 'p99 of time to recover at most 10000 ms: infinite over 1000 sockets',
  },
])('$unrecovered of 1000 sockets do not recover: $outcome', ({ unrecovered, outcome, reason }) => {
  const objectives = [{ quantile: 0.99, recoverMsMax: 10_000 }]
  const slo = { name: 'recover', objectives }
  const series = createFoldedSeries({ slo, slice: { trial: 1, from: 1000, to: 1005 } })
  const points = [
    trend(FEED_RECOVERY, 700, 1000 - unrecovered),
    counter(FEED_UNRECOVERED, unrecovered),
    // During the storm, most are not served.
    counter(FEED_SOCKETS_DUE, 3000),
    counter(FEED_SOCKETS_HELD, 900),
  ]
  for (const point of points) foldPoint(series, point)
  const facts = { ...FACTS, rate: 1000, recoverWithinSeconds: 10 }
  const result = foldTrialResult({ facts, series, seriesComplete: true, isTargetLocal: false })
  expect(result).toMatchObject({ outcome, reason, throughput: 1000 - unrecovered })
  const shares = result.sockets?.recovery?.map(({ share }) => share) ?? []
  expect([shares.includes(0.95), shares.includes(0.99), shares.includes(1)]).toEqual([
    true,
    outcome === 'pass',
    false,
  ])
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

// 400 subscriptions of 13 sockets, three seconds.
const SUBSCRIBED = [counter(FEED_SOCKETS, 13, { outcome: 'served' }), counter(FEED_SOCKETS_DUE, 1200)]
const HELD = counter(FEED_SOCKETS_HELD, 1200)

test.each([
  { what: 'all are joined', points: [HELD], outcome: 'pass', reason: 'all objectives passed' },
  {
    what: 'a socket with 32 rooms is missing',
    points: [counter(FEED_SOCKETS_HELD, 1104)],
    outcome: 'fail',
    reason: 'only 368 of 400 subscriptions were served on average',
  },
  {
    what: 'one of the 13 sockets lost events',
    points: [HELD, counter(FEED_RESYNCS, 1)],
    outcome: 'fail',
    reason: 'events were lost: 1 times resync_required',
  },
  {
    what: 'too few pools for some of them',
    points: [
      counter(FEED_SOCKETS_HELD, 900),
      counter(FEED_ROOMS_UNKNOWN, 84),
      counter(FEED_ROOMS_UNKNOWN, 16),
    ],
    outcome: 'inconclusive',
    reason: 'the target lists too few pools for 100 of the subscriptions',
  },
])('400 subscriptions: $what', ({ points, outcome, reason }) => {
  const slo = { name: 'none', objectives: [] }
  expect(judge([...SUBSCRIBED, ...points], 'subscriptions', slo)).toMatchObject({ outcome, reason })
})

// 400 slow readers, and 20 normal sockets for three seconds.
test.each([
  { what: 'all are served', held: 60, resyncs: 0, outcome: 'pass', reason: 'all objectives passed' },
  {
    what: 'one is not served',
    held: 57,
    resyncs: 0,
    outcome: 'fail',
    reason: 'only 95 % of the normal sockets were served on average',
  },
  {
    what: 'one lost events',
    held: 60,
    resyncs: 1,
    outcome: 'fail',
    reason: 'events were lost: 1 times resync_required',
  },
])('of the normal sockets next to slow readers, $what', ({ held, resyncs, outcome, reason }) => {
  const points = [
    counter(FEED_SOCKETS, 20, { outcome: 'served' }),
    counter(FEED_SOCKETS_DUE, 60),
    counter(FEED_SOCKETS_HELD, held),
    counter(FEED_RESYNCS, resyncs),
  ]
  const result = judge(points, 'slow-readers', { name: 'none', objectives: [] })
  expect(result).toMatchObject({ outcome, reason, throughput: (400 * held) / 60 })
})

test.each([
  { rejected: 50, unresponsive: 0, outcome: 'fail' },
  { rejected: 0, unresponsive: 50, outcome: 'generator-limited' },
])('on a busy machine, $rejected rejected and $unresponsive late sockets of 450: $outcome', (sockets) => {
  const { rejected, unresponsive, outcome } = sockets
  const points = [
    counter(FEED_SOCKETS, 400, { outcome: 'served' }),
    counter(FEED_SOCKETS, rejected, { outcome: 'rejected' }),
    counter(FEED_SOCKETS, unresponsive, { outcome: 'unresponsive' }),
    trend('feed_synchronize', 12, 400),
    counter(FEED_SOCKETS_DUE, 1200),
    counter(FEED_SOCKETS_HELD, 1200),
  ]
  const series = createFoldedSeries({ slo: SLO, slice: { trial: 1, from: 1000, to: 1005 } })
  for (const point of points) foldPoint(series, point)
  const facts = { ...FACTS, generator: { ...FACTS.generator, machineBusy: 1 } }
  const result = foldTrialResult({ facts, series, seriesComplete: true, isTargetLocal: true })
  expect(result.outcome).toBe(outcome)
})

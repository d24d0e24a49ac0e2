import { expect, test } from 'vitest'
import type { TrialFacts, TrialOutcome } from '../../contract/capacity.ts'
import type { ObjectiveResult } from '../../contract/report.ts'
import { addPart, createHistogram, type Histogram } from '../statistics/histogram.ts'
import { bucketSamples } from '../synthetic-run.ts'
import { judgeTrial, type TrialCounts } from './fold-trial-result.ts'
import { sampleTrial } from './sample-capacity.ts'

type Row = {
  what: string
  facts?: Partial<TrialFacts>
  counts?: Partial<TrialCounts>
  objectives?: readonly ObjectiveResult[]
  outcome: TrialOutcome
  reason: string
}

const shared = { windowSeconds: null, windows: null, samples: 2000, reason: null, routeGroup: '*' }
const latency = (observedMs: number | 'infinite' | null, verdict: ObjectiveResult['verdict']) =>
  ({ ...shared, kind: 'latency', quantile: 0.95, latencyMsMax: 250, observedMs, verdict }) as const
const HELD = latency(5, 'pass')
const SLOW = latency(900, 'fail')
const TOO_FEW = {
  ...latency(null, 'inconclusive'),
  samples: 30,
  reason: 'too few samples (30 of 200)',
} as const
const ERRORS = {
  ...shared,
  kind: 'errors',
  errorRateMax: 0.01,
  observedErrorRate: 0.5,
  verdict: 'fail',
} as const
const DROPPED = {
  ...shared,
  kind: 'dropped',
  droppedRateMax: 0.01,
  observedDroppedRate: 0.3,
  verdict: 'fail',
} as const
const BUSY = { ...sampleTrial({ trial: 1, rate: 1, meanMs: 1 }).generator, cpuCores: 4, cpuCoresMax: 4 }

// At 400/s for five seconds.
test.each<Row>([
  { what: 'all passed', outcome: 'pass', reason: 'all objectives passed' },
  {
    what: 'too slow',
    objectives: [HELD, SLOW],
    outcome: 'fail',
    reason: 'p95 of all requests at most 250 ms: 900 ms over 2000 requests',
  },
  {
    what: 'too few came back, though all were quick',
    counts: { iterations: 1900 },
    outcome: 'fail',
    reason: '5 % fewer iterations completed than were due (1900 of 2000)',
  },
  {
    what: 'as many as arrived, which at random were fewer than planned',
    counts: { due: 1900, iterations: 1900 },
    outcome: 'pass',
    reason: 'all objectives passed',
  },
  {
    what: 'fewer than arrived, which at random were more than planned',
    counts: { due: 2100, iterations: 2000 },
    outcome: 'fail',
    reason: '4.8 % fewer iterations completed than were due (2000 of 2100)',
  },
  {
    what: 'short of the iterations that last longer than its warm-up',
    counts: { iterations: 1800, iterationDuration: buildHistogram(1500, 1800) },
    outcome: 'pass',
    reason: 'all objectives passed',
  },
  {
    what: 'too slow by the lag of k6',
    facts: { generator: BUSY },
    counts: { generatorLag: buildHistogram(300, 400) },
    objectives: [SLOW],
    outcome: 'generator-limited',
    reason: 'k6 kept 4 of its 4 available cores busy, k6 woke its VUs up to 300 ms late (p99)',
  },
  {
    what: 'errors, which no busy generator makes',
    facts: { generator: BUSY },
    objectives: [ERRORS],
    outcome: 'fail',
    reason: 'errors of all requests at most 1 %: 50 % of 2000 requests',
  },
  {
    what: 'VUs ran out, while those that had one were served in time',
    counts: { dropped: 600, iterations: 1400 },
    objectives: [latency('infinite', 'fail'), DROPPED],
    outcome: 'generator-limited',
    reason: 'all 400 VUs were busy, at latencies within the limits',
  },
  {
    what: 'VUs ran out as the target was slow',
    counts: { dropped: 600, iterations: 1400, latency: buildHistogram(900, 1400) },
    objectives: [latency('infinite', 'fail'), DROPPED],
    outcome: 'fail',
    reason:
      'p95 of all requests at most 250 ms: infinite over 2000 requests; dropped iterations at most 1 %: 30 % of 2000 iterations',
  },
  {
    what: 'VUs ran out, and the few responses were late',
    counts: { dropped: 600, iterations: 30, latency: buildHistogram(900, 30) },
    objectives: [TOO_FEW, DROPPED],
    outcome: 'fail',
    reason: 'dropped iterations at most 1 %: 30 % of 2000 iterations',
  },
  {
    what: 'most were rejected at once',
    counts: { turnedAway: 2001 },
    outcome: 'inconclusive',
    reason: '50 % of the requests were rejected with 4xx',
  },
  {
    what: 'half were rejected',
    counts: { turnedAway: 2000 },
    outcome: 'pass',
    reason: 'all objectives passed',
  },
  {
    what: 'too few to judge',
    objectives: [HELD, TOO_FEW],
    outcome: 'inconclusive',
    reason: 'p95 of all requests at most 250 ms: too few samples (30 of 200)',
  },
  {
    what: 'aborted as hopeless before it could be judged',
    facts: { ended: 'aborted', reason: 'p95 cannot be met any more' },
    objectives: [TOO_FEW],
    outcome: 'fail',
    reason: 'p95 cannot be met any more',
  },
  {
    what: 'aborted as hopeless within its first second',
    facts: { ended: 'aborted', reason: 'p95 cannot be met any more', judgedTo: 1000 },
    counts: { iterations: 0, iterationDuration: createHistogram(), requests: 0 },
    objectives: [TOO_FEW],
    outcome: 'fail',
    reason: 'p95 cannot be met any more',
  },
  {
    what: 'interrupted in its bad part',
    facts: { ended: 'interrupted', reason: 'interrupted' },
    objectives: [SLOW],
    outcome: 'inconclusive',
    reason: 'interrupted',
  },
  {
    what: 'k6 broke down',
    facts: { ended: 'crashed', reason: 'k6 ended with 107' },
    outcome: 'inconclusive',
    reason: 'k6 ended with 107',
  },
  {
    what: 'never began',
    facts: { judgedFrom: null, judgedTo: null },
    outcome: 'inconclusive',
    reason: 'the trial was aborted',
  },
])('$what: $outcome', ({ facts, counts, objectives = [HELD], outcome, reason }) => {
  const result = judgeTrial({
    facts: { ...FACTS, ...facts },
    counts: { ...COUNTS, ...counts },
    objectives,
    isTargetLocal: false,
  })
  expect([result.outcome, result.reason]).toEqual([outcome, reason])
})

test('a stage that ramps is offered the middle of its rates', () => {
  const facts = { ...FACTS, phase: 'stage', rate: 600, rateFrom: 200 } as const
  const judged = (iterations: number) =>
    judgeTrial({ facts, counts: { ...COUNTS, iterations }, objectives: [], isTargetLocal: false }).outcome
  expect([judged(2000), judged(1900)]).toEqual(['pass', 'fail'])
})

test('keeps the facts of a trial and computes its figures', () => {
  const result = judgeTrial({ facts: FACTS, counts: COUNTS, objectives: [HELD], isTargetLocal: false })
  expect(result).toMatchObject({
    trial: 1,
    seconds: 5,
    secondsPlanned: 5,
    throughput: 400,
    requestsPerSecond: 800,
    meanMs: 5,
    p99Ms: expect.closeTo(5, 1),
    errorRate: 0.01,
    rateLimited: 7,
    concurrency: 4,
    generatorLagMs: expect.closeTo(1, 1),
    vusMax: 400,
  })
})

test('has the iterations that were due, if k6 counted them and they are the load', () => {
  const judgeDue = (axis: TrialFacts['axis'], due: number | undefined) =>
    judgeTrial({
      facts: { ...FACTS, axis },
      counts: { ...COUNTS, due },
      objectives: [],
      isTargetLocal: false,
    }).duePerSecond
  expect(judgeDue('rate', 1900)).toBe(380)
  expect([judgeDue('rate', undefined), judgeDue('sockets', 1900)]).toEqual([undefined, undefined])
})

test('reports the lag of k6 from a hundred samples on', () => {
  const judgeLag = (wakings: number) =>
    judgeTrial({
      facts: FACTS,
      counts: { ...COUNTS, generatorLag: buildHistogram(1, wakings) },
      objectives: [],
      isTargetLocal: false,
    }).generatorLagMs
  expect([judgeLag(99), judgeLag(100)]).toEqual([null, 1])
})

const FACTS: TrialFacts = {
  trial: 1,
  phase: 'search',
  rate: 400,
  rateFrom: null,
  warmUpSeconds: 1,
  seconds: 5,
  judgedFrom: 1000,
  judgedTo: 1005,
  ended: 'completed',
  reason: null,
  instances: 1,
  vusMax: 400,
  generator: sampleTrial({ trial: 1, rate: 1, meanMs: 1 }).generator,
  target: null,
}

/** Two requests of 5 ms per iteration. */
const COUNTS: TrialCounts = {
  due: undefined,
  iterations: 2000,
  iterationDuration: buildHistogram(10, 2000),
  dropped: 0,
  requests: 4000,
  failed: 40,
  rateLimited: 7,
  turnedAway: 0,
  latency: buildHistogram(5, 4000),
  latencySumMs: 20_000,
  generatorLag: buildHistogram(1, 200),
}

function buildHistogram(ms: number, count: number): Histogram {
  const histogram = createHistogram()
  const buckets = bucketSamples([ms]).map(([index]) => [index, count] as const)
  addPart(histogram, { count, min: ms, max: ms, zero: 0, buckets })
  return histogram
}

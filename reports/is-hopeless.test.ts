import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type SeriesPoint, SINCE_DUE } from '../contract/series.ts'
import type { Objective } from '../contract/slo.ts'
import { IN_FULL } from '../tools/test/tree-sample.ts'
import { findHopeless, judgeSlo, type ToCome } from './judge-slo.ts'
import { objectiveText } from './objective-text.ts'
import { createFoldedSeries, type FoldedSeries, foldPoint } from './series/fold-series.ts'
import { requests, sumPoint, trendPoint } from './series/test-points.ts'
import { samplesNeeded } from './statistics/quantiles.ts'

const FROM = 100
const SECONDS = 6
const TAGS = { route_group: 'pools', name: 'GET /pools' }

/** The points of one second for each objective: the number of samples and of bad ones. */
type Second = { good: number; bad: number }

type Kind = { objective: Objective; points: (second: Second, time: number) => SeriesPoint[] }

const trend = (metric: string, { good, bad }: Second, time: number) =>
  trendPoint([...Array<number>(good).fill(50), ...Array<number>(bad).fill(200)], { metric, time, tags: TAGS })

const KINDS: readonly Kind[] = [
  {
    objective: { routeGroup: 'pools', quantile: 0.9, latencyMsMax: 100 },
    points: (second, time) => [trend(SINCE_DUE, second, time)],
  },
  {
    objective: { routeGroup: '*', quantile: 0.8, latencyMsMax: 100 },
    points: ({ good, bad }, time) => [
      trend(SINCE_DUE, { good, bad: 0 }, time),
      sumPoint(bad, { metric: 'dropped_iterations', time }),
    ],
  },
  {
    objective: { routeGroup: '*', errorRateMax: 0.1 },
    points: ({ good, bad }, time) => [
      sumPoint(bad, { metric: 'http_req_failed', type: 'rate', count: good + bad, tags: TAGS, time }),
    ],
  },
  {
    objective: { routeGroup: '*', rateLimitedRateMax: 0.1 },
    points: ({ good, bad }, time) => [
      requests(good, 50, { time, tags: { ...TAGS, status: '200' } }),
      requests(bad, 50, { time, tags: { ...TAGS, status: '429' } }),
    ],
  },
  {
    objective: { droppedRateMax: 0.1 },
    points: ({ good, bad }, time) => [
      sumPoint(good, { metric: 'iterations', time }),
      sumPoint(bad, { metric: 'dropped_iterations', time }),
    ],
  },
  {
    objective: { quantile: 0.9, feedDelayMsMax: 100 },
    points: (second, time) => [
      trend('feed_delay_lower_bound', second, time),
      trend('feed_delay_upper_bound', second, time),
    ],
  },
  {
    objective: { quantile: 0.9, synchronizeMsMax: 100 },
    points: ({ good, bad }, time) => [
      trend('feed_synchronize', { good, bad: 0 }, time),
      sumPoint(bad, { metric: 'feed_sockets', tags: { outcome: 'unresponsive' }, time }),
    ],
  },
]

const WINDOWS = [undefined, 2] as const
const CASES = KINDS.flatMap((kind) =>
  WINDOWS.map((windowSeconds) => {
    const objective = { ...kind.objective, ...(windowSeconds !== undefined && { windowSeconds }) }
    return { ...kind, objective, what: objectiveText(objective) }
  }),
)

/** Few enough that many runs are borderline, and enough to judge percentiles. */
const second = fc.record({ good: fc.nat(120), bad: fc.nat(30) })
const trial = fc.record({
  seconds: fc.array(second, { minLength: SECONDS, maxLength: SECONDS }),
  seen: fc.integer({ min: 0, max: SECONDS }),
})

test.each(CASES)('a hopeless objective never passes: $what', ({ objective, points }) => {
  let hopeless = 0
  fc.assert(
    fc.property(trial, ({ seconds, seen }) => {
      const so = fold(objective, points, seconds.slice(0, seen))
      if (!isHopeless(so, seconds.slice(seen), FROM + seen)) return
      hopeless += 1
      expect(judgeObjective(fold(objective, points, seconds))).not.toBe('pass')
    }),
    { seed: 1, numRuns: IN_FULL ? 300 : 100 },
  )
  expect(hopeless).toBeGreaterThan(10)
})

test.each(CASES)('an objective that failed is hopeless at the end: $what', ({ objective, points }) => {
  let failed = 0
  fc.assert(
    fc.property(trial, ({ seconds }) => {
      const series = fold(objective, points, seconds)
      const fails = judgeObjective(series) === 'fail'
      if (fails) failed += 1
      expect(isHopeless(series, [], FROM + SECONDS)).toBe(fails)
    }),
    { seed: 2, numRuns: IN_FULL ? 200 : 60 },
  )
  expect(failed).toBeGreaterThan(10)
})

test.each(CASES)('an objective that is not hopeless can still pass: $what', ({ objective, points }) => {
  fc.assert(
    fc.property(trial, ({ seconds, seen }) => {
      const before = seconds.slice(0, seen)
      const good = seconds.slice(seen).map(() => ({ good: 400, bad: 0 }))
      const so = fold(objective, points, before)
      // Windows with too few samples are no failure but cannot pass.
      const enough = objective.windowSeconds === undefined || before.every(isEnough(objective))
      if (seen === SECONDS || !enough || isHopeless(so, good, FROM + seen)) return
      expect(judgeObjective(fold(objective, points, [...before, ...good]))).toBe('pass')
    }),
    { seed: 3, numRuns: IN_FULL ? 300 : 100 },
  )
})

test('a percentile at its limit: one more bad request is too many', () => {
  const objective: Objective = { routeGroup: 'pools', quantile: 0.95, latencyMsMax: 100 }
  const verdicts = [10, 11].map((bad) => {
    const series = createFoldedSeries({ slo: { name: 'test', objectives: [objective] } })
    foldPoint(series, requests(bad, 500))
    return findHopeless(series, { toCome: { ...NONE, requests: 200 - bad }, settledTo: 0 })
  })
  expect(verdicts).toEqual([undefined, objective])
})

test('more good samples can come into a window until its end is settled', () => {
  const objective: Objective = { routeGroup: '*', errorRateMax: 0.1, windowSeconds: 2 }
  const failed = sumPoint(20, { metric: 'http_req_failed', type: 'rate', count: 100, tags: TAGS, time: 103 })
  const series = fold(objective, () => [failed], [{ good: 80, bad: 20 }])
  // 20 of 100 failed in the window from 102 to 104; 20 of 200 would be at the limit.
  const found = [103, 104].map((settledTo) =>
    findHopeless(series, { toCome: { ...NONE, requests: 100 }, settledTo }),
  )
  expect(found).toEqual([undefined, objective])
})

test('too few samples are inconclusive, not hopeless', () => {
  const objective: Objective = { routeGroup: 'pools', quantile: 0.95, latencyMsMax: 100 }
  const series = createFoldedSeries({ slo: { name: 'test', objectives: [objective] } })
  foldPoint(series, requests(50, 500))
  expect(findHopeless(series, { toCome: NONE, settledTo: 0 })).toBeUndefined()
})

test.each(CASES.filter(({ objective }) => objective.windowSeconds === undefined))(
  'while any number may come, nothing is hopeless: $what',
  ({ objective, points }) => {
    const series = fold(objective, points, [{ good: 0, bad: 500 }])
    const endless = Number.POSITIVE_INFINITY
    const toCome = { requests: endless, iterations: endless, events: endless, sockets: endless }
    expect(findHopeless(series, { toCome, settledTo: 0 })).toBeUndefined()
    expect(findHopeless(series, { toCome: NONE, settledTo: 0 })).toBe(objective)
  },
)

test('nothing is hopeless without objectives', () => {
  expect(findHopeless(createFoldedSeries(), { toCome: NONE, settledTo: 0 })).toBeUndefined()
})

const NONE: ToCome = { requests: 0, iterations: 0, events: 0, sockets: 0 }

function fold(objective: Objective, points: Kind['points'], seconds: readonly Second[]): FoldedSeries {
  const slice = { trial: null, from: FROM, to: FROM + SECONDS }
  const series = createFoldedSeries({ slo: { name: 'test', objectives: [objective] }, slice })
  for (const [place, each] of seconds.entries()) {
    for (const point of points(each, FROM + place)) if (point.count > 0) foldPoint(series, point)
  }
  return series
}

function isHopeless(series: FoldedSeries, rest: readonly Second[], settledTo: number): boolean {
  const more = rest.reduce((sum, { good, bad }) => sum + good + bad, 0)
  const toCome = { requests: more, iterations: more, events: more, sockets: more }
  return findHopeless(series, { toCome, settledTo }) !== undefined
}

function judgeObjective(series: FoldedSeries): string | undefined {
  return judgeSlo({ series, seriesComplete: true })?.objectives[0]?.verdict
}

function isEnough(objective: Objective) {
  const needed = 'quantile' in objective ? samplesNeeded(objective.quantile) : 1
  return ({ good, bad }: Second) => good + bad >= needed
}

import { expect, test } from 'vitest'
import { sampleCapacity, sampleTrial } from '../capacity/sample-capacity.ts'
import { fitScalability, throughputAt } from '../capacity/scalability.ts'
import { sampleReport } from '../sample-report.ts'
import { drawableTrials, recoveryGist, stepCharts, stepGists } from './step-charts.ts'

const capacity = sampleCapacity()

test('draws throughput and latency by rising rate, and trials by result', () => {
  const [throughput, latency] = stepCharts({ capacity, slo: sampleReport().slo })
  expect(throughput?.x.values).toEqual([100, 200, 400, 400, 420, 800])
  expect(throughput?.lines.map(({ label, values }) => [label, values])).toEqual([
    ['offered', [100, 200, 400, 400, 420, 800]],
    ['pass', [100, 200, 400, 400, null, null]],
    ['fail', [null, null, null, null, 400, 400]],
    ['inconclusive', [null, null, null, null, null, null]],
  ])
  expect(latency?.lines.map(({ label }) => label)).toEqual([
    'p50',
    'p95',
    'p99',
    'p95 of all requests at most 250 ms',
  ])
  expect(latency?.lines[1]?.values).toEqual([8.7, 11.1, 60, 63, 375, 7500])
})

test('draws a ramping stage at its average rate', () => {
  const ramp = sampleTrial({ trial: 1, phase: 'stage', rateFrom: 10, rate: 50, throughput: 30, meanMs: 3 })
  const held = sampleTrial({ trial: 2, phase: 'stage', rate: 50, meanMs: 3 })
  const [throughput] = stepCharts({ capacity: { ...capacity, trials: [ramp, held] }, slo: null })
  expect(throughput?.x.values).toEqual([30, 50])
  expect(throughput?.lines.slice(0, 2).map(({ values }) => values)).toEqual([
    [30, 50],
    [30, 50],
  ])
})

test('does not draw infinite or unsupported percentiles', () => {
  const odd = sampleTrial({ trial: 1, rate: 9, meanMs: 3, p95Ms: 'infinite', p99Ms: null })
  const trials = [odd, odd]
  const [, latency] = stepCharts({ capacity: { ...capacity, trials }, slo: null })
  expect(latency?.lines.map(({ values }) => values)).toEqual([
    [2.1, 2.1],
    [null, null],
    [null, null],
  ])
})

test('a trial without a second or a request is not drawn, and a run without trials has no charts', () => {
  const none = sampleTrial({ trial: 1, rate: 9, meanMs: 3, seconds: 0, requests: 0 })
  expect(stepCharts({ capacity: { ...capacity, trials: [none, none] }, slo: null })).toEqual([])
  expect(stepCharts({ capacity: null, slo: null })).toEqual([])
})

test('the curve of the fit goes through the points of its trials', () => {
  const law = { lambda: 100, sigma: 0.02, kappa: 0.002 }
  const trials = [1, 2, 4, 8, 16, 32].map((concurrency, index) => {
    const rate = throughputAt(law, concurrency)
    return sampleTrial({ trial: index + 1, rate, meanMs: (1000 * concurrency) / rate, concurrency })
  })
  const { scalability } = fitScalability(trials)
  const chart = stepCharts({ capacity: { ...capacity, trials, scalability }, slo: null }).at(-1)
  const [fit, points] = chart?.lines.map(({ values }) => values) ?? []
  const both = (points ?? []).flatMap((point, index) => (point === null ? [] : [[point, fit?.[index]]]))
  expect(both.length).toBe(6)
  for (const [point, curve] of both) expect(curve).toBeCloseTo(point ?? 0, 1)
  expect(chart?.x.values).toEqual(chart?.x.values.toSorted((a, b) => a - b))
})

const at = (rate: number, options: Partial<Parameters<typeof sampleTrial>[0]> = {}) =>
  sampleTrial({ trial: rate, rate, meanMs: 3, ...options })

test('an overloaded target completes less than was offered, and gets slow', () => {
  expect(stepGists(drawableTrials(sampleCapacity()))).toEqual({
    throughput: 'At 800 offered iterations/s, only 400 were completed.',
    latency: 'p95 rose from 8.7 ms at 100/s to 7500 ms at 800/s.',
  })
})

test('a target that keeps up, with a slow start', () => {
  expect(stepGists([at(50, { meanMs: 9 }), at(100, { throughput: 96 })])).toEqual({
    throughput: 'Throughput kept up with the offered rate, up to 100 iterations/s.',
    latency: 'p95 was highest at the lowest rate: 27 ms at 50/s.',
  })
})

test('uses p50 without any p95; dropped iterations make a percentile infinite', () => {
  expect(stepGists([at(50, { p95Ms: null }), at(100, { p95Ms: null, p50Ms: 'infinite' })]).latency).toBe(
    'p50 rose from 2.1 ms at 50/s to infinite at 100/s.',
  )
  expect(stepGists([at(50, { p95Ms: null, p50Ms: null })]).latency).toBe(
    'Too few requests per trial for a percentile.',
  )
})

test('a stage that ramps counts at its average rate', () => {
  expect(stepGists([at(50, { rateFrom: 10, throughput: 20 })]).throughput).toBe(
    'At 30 offered iterations/s, only 20 were completed.',
  )
})

test('iterations that were due at random, and not planned, are offered', () => {
  const fewer = at(100, { duePerSecond: 93, throughput: 93 })
  const more = at(200, { duePerSecond: 220, throughput: 200 })
  const [throughput] = stepCharts({ capacity: { ...capacity, trials: [fewer, more] }, slo: null })
  expect(throughput?.x).toMatchObject({ label: 'planned', values: [100, 200] })
  expect(throughput?.lines[0]).toMatchObject({ label: 'offered', values: [93, 220] })
  expect(stepGists([at(50), fewer]).throughput).toBe(
    'Throughput kept up with the offered rate, up to 100 iterations/s.',
  )
  expect(stepGists([fewer, more]).throughput).toBe('At 220 offered iterations/s, only 200 were completed.')
})

test('a search over events draws how many arrived, and how late', () => {
  const trials = [100, 200].map((rate) => {
    const sockets = { served: rate, failed: 0, handshakeP90Ms: 1, synchronizeP90Ms: 2, messagesPerSecond: 9 }
    return {
      ...at(rate, { axis: 'events', requests: 0, p95Ms: null }),
      sockets: { ...sockets, eventsPerSecond: 3 * rate, feedDelayP95Ms: 4 * rate, resyncs: 0 },
    }
  })
  const objective = { quantile: 0.95, feedDelayMsMax: 1500, windowSeconds: null, windows: null }
  const judged = {
    verdict: 'pass',
    samples: 9,
    reason: null,
    observedLowerBoundMs: 1,
    observedMs: 2,
  } as const
  const slo = { name: 'events', objectives: [{ kind: 'feed-delay' as const, ...objective, ...judged }] }
  const charts = stepCharts({ capacity: { ...sampleCapacity(), axis: 'events', trials }, slo })
  expect(charts.map(({ lines }) => lines.map(({ label, values }) => [label, ...values]))).toEqual([
    [
      ['pass', 300, 600],
      ['fail', null, null],
      ['inconclusive', null, null],
    ],
    [
      ['p95', 400, 800],
      ['p95 of feed delay at most 1500 ms', 1500, 1500],
    ],
  ])
  expect(stepGists(drawableTrials({ ...sampleCapacity(), trials })).latency).toBe(
    'p95 rose from 400 ms at 100 sockets to 800 ms at 200 sockets.',
  )
})

test('draws the reconnect curve of the last trial whose sockets were cut, if none passed', () => {
  const recovery = [
    { share: 0.5, ms: 400 },
    { share: 0.9, ms: 1900 },
  ]
  const sockets = { served: 9, failed: 0, handshakeP90Ms: 1, synchronizeP90Ms: 2, messagesPerSecond: 9 }
  const trial = {
    ...at(1000, { axis: 'sockets', outcome: 'fail' }),
    sockets: { ...sockets, eventsPerSecond: 0, feedDelayP95Ms: null, resyncs: 0, recovery },
  }
  const capacity = {
    ...sampleCapacity(),
    axis: 'sockets' as const,
    rate: null,
    highestPassingRate: null,
    trials: [trial],
  }
  const [chart, ...others] = stepCharts({ capacity, slo: null })
  expect(others).toEqual([])
  expect(chart).toMatchObject({ id: 'recovery-chart', x: { values: [0, 0.4, 1.9] } })
  expect(chart?.lines.map(({ values }) => values)).toEqual([[0, 50, 90]])
  expect(recoveryGist(capacity)).toBe(
    'Trial 1000: of 1000 sockets that were cut at once, 90 % were synchronized again after 1.9 s.',
  )
})

import { expect, test } from 'vitest'
import { sampleCapacity, sampleTrial } from '../capacity/sample-capacity.ts'
import { fitScalability, throughputAt } from '../capacity/scalability.ts'
import { sampleReport } from '../sample-report.ts'
import { stepCharts } from './step-charts.ts'

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

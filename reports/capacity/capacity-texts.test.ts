import { expect, test } from 'vitest'
import type { Report } from '../../contract/report.ts'
import { renderJunit, renderSummary } from '../render-run.ts'
import { sampleReport } from '../sample-report.ts'
import { verdictTable } from '../verdict-table.ts'
import { generatorText, loadRows, scalabilityText, throughputText } from './capacity-texts.ts'
import { sampleCapacity, sampleTrial } from './sample-capacity.ts'

const REPORT: Report = {
  ...sampleReport(),
  job: 'capacity',
  verdict: 'pass',
  exitCode: 0,
  rules: [],
  slo: null,
  capacity: sampleCapacity(),
  changes: { ...sampleReport().changes, since: null },
}

test('the terminal shows verdict, loads, generator and target, and budget', () => {
  expect(verdictTable(REPORT).join('\n')).toBe(
    `pass: 400 iterations/s meet the objectives; limited by the target; confirmed
rate  result  passed  throughput      p50      p95       p99  errors  why
 100  pass    1 of 1         100  2.03 ms   8.7 ms   13.3 ms     0 %
 200  pass    1 of 1         200  2.59 ms  11.1 ms     17 ms     0 %
 400  pass    2 of 2         400  14.7 ms    63 ms   96.6 ms     0 %
 420  fail    0 of 1         400  87.5 ms   375 ms    575 ms     0 %  p95 of all requests at most 100 ms: 237 ms over 2000 requests
 800  fail    0 of 1         400  1750 ms  7500 ms  11500 ms     0 %  p95 of all requests at most 100 ms: 4750 ms over 800 requests
generator, trial 3: k6 kept 0.6 of 4 cores busy, the machine was 31 % busy, k6 woke a VU up to 1.2 ms late (p99), 120 of 65536 open files, 100 of 28232 ports, 92 MB
target, trial 3: 0.4 cores busy, its event loop up to 4 ms late (p99), at most 40 requests waiting
scalability: No fit of the Universal Scalability Law: 4 of 6 trials held a steady load, at 3 different concurrencies: a fit needs 6.
used: 62 of 300 s; 14600 requests
reproduce: breakwater smoke --seed 7
note: A remark.`,
  )
})

test('reports CPU throttling of generators in containers', () => {
  const { generator } = sampleTrial({ trial: 1, rate: 400, meanMs: 2 })
  const text = generatorText({ ...generator, machineBusy: null, throttledShare: 0.125 }, null)
  expect(text).toBe(
    'k6 kept 0.6 of 4 cores busy, the CPU limit throttled it in 12.5 % of its periods, 120 of 65536 open files, 100 of 28232 ports, 92 MB',
  )
})

test('names the trial that the objectives refer to', () => {
  const slo = sampleReport().slo
  const lines = verdictTable({ ...REPORT, slo })
  expect(lines.slice(-4)).toEqual([
    'objectives of the confirmation at 400 iterations/s',
    'pass  p95 of all requests at most 250 ms: 38 ms over 5100 requests',
    'inconclusive  p99 of pools|x at most 150 ms: too few samples (40 of 1000)',
    'note: A remark.',
  ])
  expect(renderSummary({ report: { ...REPORT, slo }, catalogue: [] })).toContain(
    'Objectives and latencies are of the confirmation at 400 iterations/s.',
  )
})

test('Markdown shows the same', () => {
  expect(
    renderSummary({ report: REPORT, catalogue: [] }),
  ).toBe(`# Breakwater capacity: pass: 400 iterations/s meet the objectives; limited by the target; confirmed

> A remark.  

## Loads

| rate | result | passed | throughput | p50 | p95 | p99 | errors | why |
|--:|---|--:|--:|--:|--:|--:|--:|---|
| 100 | pass | 1 of 1 | 100 | 2.03 ms | 8.7 ms | 13.3 ms | 0 % |  |
| 200 | pass | 1 of 1 | 200 | 2.59 ms | 11.1 ms | 17 ms | 0 % |  |
| 400 | pass | 2 of 2 | 400 | 14.7 ms | 63 ms | 96.6 ms | 0 % |  |
| 420 | fail | 0 of 1 | 400 | 87.5 ms | 375 ms | 575 ms | 0 % | p95 of all requests at most 100 ms: 237 ms over 2000 requests |
| 800 | fail | 0 of 1 | 400 | 1750 ms | 7500 ms | 11500 ms | 0 % | p95 of all requests at most 100 ms: 4750 ms over 800 requests |

- Load generator in trial 3: k6 kept 0.6 of 4 cores busy, the machine was 31 % busy, k6 woke a VU up to 1.2 ms late (p99), 120 of 65536 open files, 100 of 28232 ports, 92 MB.
- Target in trial 3: 0.4 cores busy, its event loop up to 4 ms late (p99), at most 40 requests waiting.
- No fit of the Universal Scalability Law: 4 of 6 trials held a steady load, at 3 different concurrencies: a fit needs 6.
- Budget used: 62 of 300 s; 14600 requests.

## Reproduce

\`breakwater smoke --seed 7\`
`)
})

test.each([
  { verdict: 'pass', exitCode: 0, strict: false, capacity: undefined, run: undefined },
  { verdict: 'fail', exitCode: 1, strict: false, capacity: 'failure', run: undefined },
  { verdict: 'inconclusive', exitCode: 0, strict: false, capacity: 'skipped', run: undefined },
  { verdict: 'inconclusive', exitCode: 4, strict: true, capacity: 'error', run: 'error' },
  { verdict: 'interrupted', exitCode: 130, strict: false, capacity: 'skipped', run: 'error' },
] as const)('JUnit: $verdict with exit code $exitCode', ({ verdict, exitCode, strict, ...elements }) => {
  const junit = renderJunit({ ...REPORT, verdict, exitCode, run: { ...REPORT.run, strict } })
  const findElement = (suite: string) =>
    new RegExp(`classname="${suite}"[^>]*[^/]>\\s*<(\\w+)`).exec(junit)?.[1]
  expect([findElement('capacity'), findElement('run')]).toEqual([elements.capacity, elements.run])
  expect(junit).toContain('name="capacity of reads"')
})

test('a load below a passing one is not reported as undecided', () => {
  const { loads, ...sample } = sampleCapacity()
  const passed = loads.map((load) => ({
    ...load,
    bound: load.rate < 400 ? ('undecided' as const) : load.bound,
  }))
  expect(loadRows({ ...sample, loads: passed }).map(({ result }) => result)).toEqual([
    'pass',
    'pass',
    'pass',
    'fail',
    'fail',
  ])
})

test('explains an undecided load whose trials passed; shows both ends of a ramp', () => {
  const sample = sampleCapacity()
  const ramp = sampleTrial({
    trial: 2,
    phase: 'stage',
    rateFrom: 10,
    rate: 100,
    meanMs: 3,
    outcome: 'inconclusive',
    reason: 'too few samples',
  })
  const rows = loadRows({
    ...sample,
    loads: [{ rate: 100, bound: 'undecided', trials: [1] }],
    trials: [...sample.trials.slice(0, 1), ramp],
  })
  expect(rows.map(({ rate, result, why }) => [rate, result, why])).toEqual([
    ['100', 'undecided', 'passed, but not long enough'],
    ['10 to 100', 'inconclusive', 'too few samples'],
  ])
})

const FIT = {
  lambda: 200,
  sigma: 0.05,
  kappa: 0.001,
  standardErrors: { lambda: 4, sigma: 0.01, kappa: 0.0001 },
  relativeError: 0.021,
  peak: { concurrency: 30.8, requestsPerSecond: 1798 },
  points: [1, 2, 4, 8, 16, 40].map((concurrency, index) => ({
    concurrency,
    requestsPerSecond: 100,
    trial: index + 1,
  })),
}

test('a held load has no fit', () => {
  const held = {
    ...sampleCapacity(),
    loads: [],
    trials: [sampleTrial({ trial: 1, phase: 'stage', rate: 9, meanMs: 3 })],
  }
  expect(scalabilityText(held)).toBeNull()
  expect(verdictTable({ ...REPORT, capacity: held }).join('\n')).not.toContain('Scalability')
})

test.each([
  {
    what: 'is within the measured range',
    change: {},
    sentence: 'Throughput peaks at 1798 requests/s at concurrency 30.8.',
  },
  {
    what: 'is beyond the measured range',
    change: { points: FIT.points.slice(0, 5) },
    sentence: 'The fit peaks at 1798 requests/s at concurrency 30.8, beyond the measured concurrency (16).',
  },
  {
    what: 'is not significant',
    change: { standardErrors: { ...FIT.standardErrors, kappa: 0.002 } },
    sentence:
      'The fit peaks at 1798 requests/s at concurrency 30.8, but this is not significant: κ may be 0.',
  },
  {
    what: 'does not exist',
    change: { kappa: 0, peak: null },
    sentence: 'Throughput does not fall at any concurrency.',
  },
])('describes a peak that $what', ({ change, sentence }) => {
  const text = scalabilityText({ ...sampleCapacity(), scalability: { ...FIT, ...change } })
  expect(text).toContain(
    '(mean error 2.1 %): λ 200 ± 4 requests/s at concurrency 1; σ 0.05 ± 0.01 (contention)',
  )
  expect(text?.endsWith(sentence)).toBe(true)
})

test.each([
  ['sockets', '190'],
  ['slow-readers', '95 %'],
] as const)('on the axis %s, 190 of 200 is %s', (axis, text) => {
  expect(throughputText(sampleTrial({ trial: 1, rate: 200, throughput: 190, meanMs: 1, axis }))).toBe(text)
})

import { expect, test } from 'vitest'
import type { Axis } from '../../contract/capacity.ts'
import { compareRuns } from './compare-folders.ts'
import { comparisonTable } from './comparison-text.ts'
import type { RunSummary } from './read-run-summary.ts'
import { SIMULATED_ROUTE, simulateRun } from './simulated-run.ts'

/** A run of 30 s with requests in these seconds only. */
function simulate(seed: number, medianMs: number, seconds: readonly number[]): RunSummary {
  const routes = [{ ...SIMULATED_ROUTE, medianMs, samplesPerSecond: 50 }]
  const run = simulateRun({ seed, seconds: 30, routes })
  for (const [second, span] of run.spans.entries())
    if (!seconds.includes(second)) Object.assign(span ?? {}, { routes: new Map() })
  return run
}

function compareP50(a: readonly RunSummary[], b: readonly RunSummary[]) {
  const { differences } = compareRuns({
    a: { label: 'a', runs: a },
    b: { label: 'b', runs: b },
    allowSingleRun: true,
  })
  return differences.find(({ metric }) => metric === 'p50')
}

test.each([
  { what: 'one second', seconds: [3] },
  { what: 'neighboring seconds', seconds: [7, 8, 9, 10, 11, 12, 13] },
])('single runs that have a metric in $what only are not comparable, but shown', ({ seconds }) => {
  const p50 = compareP50([simulate(1, 30, seconds)], [simulate(2, 45, [3, 9, 17, 25])])
  expect(p50).toMatchObject({
    a: expect.any(Object),
    b: expect.any(Object),
    interval: null,
    pValue: null,
    verdict: 'not comparable',
    reason: 'the run of A has it in too few seconds to know how much it varies',
  })
})

test('single runs that have it throughout are compared, and so are several', () => {
  const apart = [3, 9, 17, 25]
  expect(compareP50([simulate(1, 30, apart)], [simulate(2, 300, apart)])?.verdict).toBe('worse')
  const [a, b] = [30, 300].map((medianMs) =>
    [1, 2, 3].map((seed) => simulate(medianMs + seed, medianMs, [3])),
  )
  expect(compareP50(a ?? [], b ?? [])?.verdict).toBe('worse')
})

const SEARCH = {
  secondsMax: 300,
  requestsMax: null,
  relativeWidth: 0.05,
  trialSeconds: 5,
  rateRequired: null,
  finalSeconds: 20,
  rateMax: null,
  stages: null,
}

function compareSearches(axisA: Axis, axisB: Axis) {
  const [a, b] = [axisA, axisB].map((axis, seed) => {
    const run = simulateRun({ seed, seconds: 1, routes: [], run: { search: { ...SEARCH, axis } } })
    return { label: axis, runs: [{ ...run, capacity: 1980, objectives: 'p95' }] }
  })
  const none = { label: 'none', runs: [] }
  return compareRuns({ a: a ?? none, b: b ?? none, allowSingleRun: true })
}

test.each([
  { axis: 'rate', unit: '/s', shown: ' 1980/s ' },
  { axis: 'sockets', unit: 'sockets', shown: ' 1980 sockets ' },
  { axis: 'slow-readers', unit: 'slow readers', shown: ' 1980 slow readers ' },
] as const)('the capacity of a search over $axis is in $unit', ({ axis, unit, shown }) => {
  const comparison = compareSearches(axis, axis)
  expect(comparison.differences).toMatchObject([{ metric: 'capacity', unit }])
  expect(comparisonTable(comparison).join('\n')).toContain(shown)
})

test('searches over another axis are not comparable', () => {
  expect(compareSearches('sockets', 'events').notes).toEqual([
    'Not comparable: different axis: sockets and events.',
  ])
})

test('failures of equal number in each run are no more certain than independent requests', () => {
  const runs = (first: number, failed: number) =>
    [0, 1, 2].map((index) => {
      const routes = [{ ...SIMULATED_ROUTE, samplesPerSecond: 50 }]
      const run = simulateRun({ seed: first + index, seconds: 20, routes })
      for (const route of run.spans[0]?.routes.values() ?? []) route.failed = failed
      return run
    })
  const { differences } = compareRuns({
    a: { label: 'a', runs: runs(1, 0) },
    b: { label: 'b', runs: runs(11, 2) },
  })
  const errors = differences.find(({ metric }) => metric === 'errorRate')
  expect(errors).toMatchObject({ difference: 0.002, verdict: 'no significant difference' })
  // 0.5 and 6.5 of 3001: t = 2.270 with 4 degrees of freedom.
  expect(errors?.pValue).toBeCloseTo(0.0857, 4)
})

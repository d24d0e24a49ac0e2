import { expect, test } from 'vitest'
import { compareRuns } from './compare-folders.ts'
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

import { expect, test } from 'vitest'
import type { Axis } from '../../contract/capacity.ts'
import { type Comparison, comparisonSchema } from '../../contract/comparison.ts'
import type { Run } from '../../contract/run.ts'
import { type CompareOptions, compareRuns } from './compare-folders.ts'
import type { RunSummary } from './read-run-summary.ts'
import { SIMULATED_ROUTE, type SimulatedRoute, simulateRun } from './simulated-run.ts'

const SLOWER = [{ ...SIMULATED_ROUTE, medianMs: 40 }]

test('is comparison.json, and the same each time', () => {
  const comparison = compareSides({}, {}, SLOWER)
  expect(comparisonSchema.parse(JSON.parse(JSON.stringify(comparison)))).toEqual(comparison)
  expect(compareSides({}, {}, SLOWER)).toEqual(comparison)
  expect(comparison).toMatchObject({ verdict: 'worse', exitCode: 1 })
})

test('gives the figures of each side and their difference', () => {
  const { differences } = compareSides({}, {}, SLOWER)
  const p50 = differences.find(({ metric }) => metric === 'p50')
  expect(p50).toMatchObject({ name: 'GET /pools', unit: 'ms', verdict: 'worse' })
  const { a, b, difference, relativeDifference, relativeInterval, interval } = p50 ?? {}
  expect(a?.runs).toHaveLength(4)
  expect(Math.exp(mean(a?.runs.map(Math.log)))).toBeCloseTo(a?.value ?? 0, 9)
  expect(difference).toBeCloseTo((b?.value ?? 0) - (a?.value ?? 0), 9)
  expect(relativeDifference).toBeCloseTo((b?.value ?? 0) / (a?.value ?? 0) - 1, 9)
  expect(interval?.low).toBeCloseTo((a?.value ?? 0) * (relativeInterval?.low ?? 0), 9)
  expect(relativeInterval?.low).toBeLessThan(1)
  expect(relativeInterval?.high).toBeGreaterThan(1)
})

test('p95 needs 200 requests per run; p99 needs 1,000 and is left out silently', () => {
  const few = [{ ...SIMULATED_ROUTE, samplesPerSecond: 9 }]
  const { differences } = compareSides({}, {}, few, few)
  expect(differences.map(({ metric, verdict, reason }) => [metric, verdict, reason])).toEqual([
    ['p50', 'no significant difference', expect.any(String)],
    ['p95', 'not comparable', 'a run of A has fewer than 200 requests of it'],
    ['errorRate', 'no significant difference', expect.any(String)],
    ['iterationsPerSecond', 'no significant difference', expect.any(String)],
    ['droppedRate', 'no significant difference', expect.any(String)],
  ])
  const many = [{ ...SIMULATED_ROUTE, samplesPerSecond: 50 }]
  expect(compareSides({}, {}, many, many).differences.map(({ metric }) => metric)).toContain('p99')
})

test('a route that one side does not have cannot be compared; the others are', () => {
  const more = [SIMULATED_ROUTE, { ...SIMULATED_ROUTE, name: 'GET /new', samplesPerSecond: 1 }]
  const { verdict, differences } = compareSides({}, {}, more)
  expect(verdict).not.toBe('not comparable')
  expect(differences.filter(({ name }) => name === 'GET /new')).toEqual([
    expect.objectContaining({
      verdict: 'not comparable',
      reason: 'A has no such route',
      a: null,
      pValue: null,
    }),
  ])
})

test('errors that rise are worse', () => {
  const failing = [{ ...SIMULATED_ROUTE, errorRate: 0.05 }]
  const { differences } = compareSides({}, {}, failing)
  expect(differences.filter(({ metric }) => metric === 'errorRate')).toEqual([
    expect.objectContaining({ unit: 'share', verdict: 'worse', relativeDifference: null }),
  ])
})

test('more 4xx is worse, however fast', () => {
  const quick = [{ ...SIMULATED_ROUTE, medianMs: 10 }]
  const compareRejected = (run: Partial<Run>, rejected: number) => {
    const b = side(11, run, quick)
    for (const { spans } of b.runs)
      for (const span of spans) for (const route of span?.routes.values() ?? []) route.rejected = rejected
    return compareRuns({ a: side(1, run), b })
  }
  const { verdict, differences } = compareRejected(load(20), 4)
  expect(verdict).toBe('worse')
  expect(differences.filter(({ metric }) => metric === 'rejectedRate')).toEqual([
    expect.objectContaining({ verdict: 'worse', a: expect.objectContaining({ value: 0 }), difference: 0.2 }),
  ])
  // Without 4xx, and for probes: no row.
  for (const comparison of [compareRejected(load(20), 0), compareRejected({}, 4)])
    expect(comparison).toMatchObject({ verdict: 'better', method: { family: 3 } })
})

test('no error in few requests does not rule errors out', () => {
  const few = [{ ...SIMULATED_ROUTE, samplesPerSecond: 2 }]
  const ofErrors = ({ differences }: Comparison) => differences.find(({ metric }) => metric === 'errorRate')
  expect(ofErrors(compareSides({}, {}, few, few))).toMatchObject({
    difference: 0,
    verdict: 'no significant difference',
    reason: expect.stringContaining('is not ruled out'),
  })
  const many = [{ ...SIMULATED_ROUTE, samplesPerSecond: 400 }]
  expect(ofErrors(compareSides({}, {}, many, many))?.reason).toBe(
    'a difference of 0.1 percentage points is ruled out',
  )
})

test('an event without occurrences does not count in the family', () => {
  const { method, differences } = compareSides({}, {}, SLOWER)
  expect(method.family).toBe(3)
  const raisedBy = differences.map(({ pValue, pAdjusted }) => (pAdjusted ?? 0) / (pValue ?? 1))
  expect(Math.max(...raisedBy)).toBeCloseTo(3, 9)
  expect(differences.find(({ metric }) => metric === 'errorRate')).toMatchObject({ pValue: 1, pAdjusted: 1 })
})

test('a single error in a run is no proof, in many runs it is', () => {
  const oneEach = (runs: number) => Array.from({ length: runs }, (_, seed) => withErrors(simulate(seed), 1))
  const none = (runs: number) => Array.from({ length: runs }, (_, seed) => simulate(100 + seed))
  const findErrorRateVerdict = (runs: number) =>
    compareRuns({
      a: { label: 'a', runs: none(runs) },
      b: { label: 'b', runs: oneEach(runs) },
    }).differences.find(({ metric }) => metric === 'errorRate')?.verdict
  expect([2, 12].map(findErrorRateVerdict)).toEqual(['no significant difference', 'worse'])
})

test.each<{ what: string; a: Partial<Run>; b: Partial<Run>; reason: string }>([
  { what: 'mix', a: { mix: 'reads' }, b: { mix: 'market' }, reason: 'different mix: reads and market' },
  { what: 'mix of one', a: { mix: 'reads' }, b: {}, reason: 'different mix: reads and unknown' },
  {
    what: 'kind of arrivals',
    a: { arrivals: 'even' },
    b: { arrivals: 'poisson' },
    reason: 'different arrivals: even and poisson',
  },
  { what: 'target', a: {}, b: { target: target('other') }, reason: 'different target: synthetic and other' },
  { what: 'world', a: {}, b: { world: 'wide' }, reason: 'different world: tiny and wide' },
  {
    what: 'rate',
    a: load(50),
    b: load(60),
    reason: 'different load: 50 iterations/s and 60 iterations/s',
  },
  { what: 'machine', a: { machine: 'x' }, b: { machine: 'y' }, reason: 'different machine: x and y' },
  {
    what: 'k6',
    a: {},
    b: { versions: { breakwater: '0', node: '0', k6: '3' } },
    reason: 'different k6: 2.2.0 and 3',
  },
  {
    what: 'number of generators',
    a: {},
    b: { instances: 2 },
    reason: 'different number of load generators: 1 and 2',
  },
])('another $what is not comparable, but figures are shown anyway', ({ a, b, reason }) => {
  const comparison = compareSides(a, b)
  expect(comparison).toMatchObject({ verdict: 'not comparable', exitCode: 3, method: { family: 0 } })
  expect(comparison.notes).toEqual([`Not comparable: ${reason}.`])
  expect(comparison.differences[0]).toMatchObject({ reason: reason, interval: null, pValue: null })
  expect(comparison.differences[0]?.relativeDifference).not.toBeNull()
})

test('runs of one side that differ are not comparable', () => {
  const runs = [1, 2].map((seed) => simulate(seed, { mix: seed === 1 ? 'reads' : 'market' }))
  const { verdict, notes } = compareRuns({ a: { label: 'a', runs }, b: side(5, { mix: 'reads' }) })
  expect(verdict).toBe('not comparable')
  expect(notes).toEqual(['Not comparable: the runs of A differ in their mix: reads, market.'])
})

test('two targets are compared on purpose', () => {
  const b = { target: target('other'), world: null }
  expect(compareSides({}, b, SLOWER, [SIMULATED_ROUTE], { acrossTargets: true }).verdict).toBe('worse')
})

test('runs of different length are comparable, with a note', () => {
  const { verdict, notes } = compareSides(load(50), load(50, 60))
  expect(verdict).not.toBe('not comparable')
  expect(notes).toEqual(['The runs have different lengths: changes over time may look like a difference.'])
})

test('single runs are compared only on request, with a note on the limits', () => {
  const one = { label: 'one', runs: [simulate(1)] }
  const other = { label: 'other', runs: [simulate(2, {}, SLOWER)] }
  const rejected = compareRuns({ a: one, b: other })
  expect(rejected.verdict).toBe('not comparable')
  expect(rejected.notes).toEqual([expect.stringMatching(/^Not comparable: each side has a single run/)])
  const asked = compareRuns({ a: one, b: other, allowSingleRun: true })
  expect(asked).toMatchObject({ verdict: 'worse', exitCode: 1, method: { singleRuns: true } })
  expect(asked.notes).toEqual([expect.stringContaining('but not between runs')])
})

test('judges a single run by the variation of the other side, with a note', () => {
  const b = { label: 'b', runs: [simulate(30, {}, SLOWER)] }
  const { verdict, notes } = compareRuns({ a: side(1), b })
  expect([verdict, notes]).toEqual([
    'worse',
    ['B is a single run: its variation between runs is assumed to equal that of A.'],
  ])
})

test('a side without runs is not comparable', () => {
  const { verdict, exitCode, notes } = compareRuns({ a: { label: 'none', runs: [] }, b: side(1) })
  expect([verdict, exitCode, notes]).toEqual(['not comparable', 3, ['Not comparable: A has no run.']])
})

test.each([
  { found: [400, 404, 398], again: [300, 303, 299], verdict: 'worse' },
  { found: [400, 404, 398], again: [402, 399, 401], verdict: 'no significant difference' },
  { found: [400, 404, null], again: [402, 399, 401], verdict: 'not comparable' },
  { found: [400], again: [300], verdict: 'worse' },
  { found: [400], again: [380], verdict: 'no significant difference' },
])(
  'of searches their capacities are compared: $found and $again are $verdict',
  ({ found, again, verdict }) => {
    const searches = (rates: readonly (number | null)[]) => ({
      label: 'searches',
      runs: rates.map((capacity, index) => ({ ...simulate(index, SEARCH), spans: [], seconds: 0, capacity })),
    })
    const comparison = compareRuns({ a: searches(found), b: searches(again), allowSingleRun: true })
    expect(comparison.verdict).toBe(verdict)
    expect(comparison.differences.map(({ metric, unit }) => [metric, unit])).toEqual([['capacity', '/s']])
  },
)

test('searches on different axes or with different or unknown objectives are not comparable', () => {
  const search = (seed: number, objectives: string | null, axis: Axis = 'rate') => {
    const run = { search: { ...SEARCH.search, axis } }
    return { ...simulate(seed, run), spans: [], seconds: 0, capacity: 100 + seed, objectives }
  }
  const compare = (ofA: string | null, ofB: string | null, axis?: Axis) =>
    compareRuns({
      a: { label: 'a', runs: [search(1, ofA), search(2, ofA)] },
      b: { label: 'b', runs: [search(301, ofB, axis), search(302, ofB, axis)] },
    })
  expect(compare('x', 'x', 'events').notes).toEqual(['Not comparable: different axis: rate and events.'])
  expect(compare('p95 at most 1 s', 'p95 at most 1 s').verdict).toBe('better')
  expect(compare('p95 at most 1 s', 'p95 at most 2 s')).toMatchObject({
    verdict: 'not comparable',
    notes: ['Not comparable: different set of objectives: p95 at most 1 s and p95 at most 2 s.'],
  })
  expect(compare('p95 at most 1 s', null).verdict).toBe('not comparable')
})

test('names the run in notes on unreadable data', () => {
  const damaged = { ...simulate(1), notes: ['series.ndjson is damaged at line 3.'] }
  const { notes } = compareRuns({
    a: { label: 'a', runs: [damaged, simulate(2)] },
    b: side(3),
    notes: ['Left out: x.'],
  })
  expect(notes).toEqual(['run-1: series.ndjson is damaged at line 3.', 'Left out: x.'])
})

const SEARCH = {
  search: {
    secondsMax: 300,
    requestsMax: null,
    relativeWidth: 0.05,
    trialSeconds: 5,
    rateRequired: null,
    finalSeconds: 20,
    rateMax: null,
    stages: null,
  },
} satisfies Partial<Run>

function compareSides(
  a: Partial<Run>,
  b: Partial<Run>,
  routesB: readonly SimulatedRoute[] = [SIMULATED_ROUTE],
  routesA: readonly SimulatedRoute[] = [SIMULATED_ROUTE],
  options: Partial<CompareOptions> = {},
): Comparison {
  return compareRuns({ a: side(1, a, routesA), b: side(11, b, routesB), ...options })
}

function side(first: number, run: Partial<Run> = {}, routes: readonly SimulatedRoute[] = [SIMULATED_ROUTE]) {
  return { label: 'side', runs: [0, 1, 2, 3].map((index) => simulate(first + index, run, routes)) }
}

function simulate(
  seed: number,
  run: Partial<Run> = {},
  routes: readonly SimulatedRoute[] = [SIMULATED_ROUTE],
) {
  return simulateRun({ seed, seconds: 20, routes, run })
}

/** The same run with this many failed requests in its first second. */
function withErrors(summary: RunSummary, failed: number): RunSummary {
  for (const route of summary.spans[0]?.routes.values() ?? []) route.failed = failed
  return summary
}

function target(name: string): Run['target'] {
  return { name, baseUrl: 'http://127.0.0.1:1', wsUrl: 'ws://127.0.0.1:1', control: false }
}

function load(rate: number, seconds = 20): Partial<Run> {
  return { load: { rate, warmUpSeconds: 0, seconds } }
}

function mean(values: readonly number[] = []): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}

import { expect, test } from 'vitest'
import type { Comparison, Difference } from '../../contract/comparison.ts'
import { SAMPLE_COMPARISON } from '../../reports/compare/sample-comparison.ts'
import { summary } from './comparisons.ts'

const [first] = SAMPLE_COMPARISON.differences
const ROUTE: Partial<Difference> = { name: 'GET /explore/pools', metric: 'p50' }

function withRoute(route: Partial<Difference>): Comparison {
  const differences = first === undefined ? [] : [{ ...first, ...ROUTE, ...route }]
  return { ...SAMPLE_COMPARISON, verdict: 'no significant difference', differences, notes: [] }
}

test.each<{ what: string; comparison: Comparison; line: string }>([
  {
    what: 'found',
    comparison: withRoute({ verdict: 'worse', a: side(20, 21), b: side(23, 24) }),
    line: 'worse GET /explore/pools p50 (GET /explore/pools p50 ms: 20.0 21.0 | 23.0 24.0)',
  },
  {
    what: 'not shown',
    comparison: withRoute({ a: side(20), b: side(23), reason: 'chance alone can make it' }),
    line: 'no significant difference (GET /explore/pools p50 ms: 20.0 | 23.0: chance alone can make it)',
  },
  {
    what: 'not measured',
    comparison: {
      ...withRoute({
        verdict: 'not comparable',
        a: null,
        b: null,
        reason: '1 of the 5 runs of A have none',
      }),
      notes: ['run-1: It failed.'],
    },
    line: 'no significant difference (GET /explore/pools p50 ms: - | -: 1 of the 5 runs of A have none); run-1: It failed.',
  },
  {
    what: 'not requested',
    comparison: { ...SAMPLE_COMPARISON, differences: [], notes: [] },
    line: 'no significant difference (GET /explore/pools p50 ms: - | -: has none)',
  },
])('the line of a comparison in which the slower route was $what', ({ comparison, line }) => {
  expect(summary(comparison)).toBe(line)
})

function side(...runs: number[]): Difference['a'] {
  return { value: runs[0] ?? 0, runs }
}

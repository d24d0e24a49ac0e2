import { type Comparison, type Difference, SMALLEST_EFFECTS } from '../../contract/comparison.ts'

/** A comparison with a row of each verdict and hostile names, for tests. */
export const SAMPLE_COMPARISON: Comparison = {
  version: 1,
  verdict: 'worse',
  exitCode: 1,
  a: side('runs/old', 'old-1'),
  b: side('runs/<new>', 'new-1'),
  method: {
    confidence: 0.95,
    family: 3,
    singleRuns: false,
    smallestEffects: SMALLEST_EFFECTS,
    seed: 1,
    resamples: 400,
  },
  differences: [
    row({ name: 'GET /pools', metric: 'p50', a: 20, b: 20.2, interval: [-0.01, 0.03] }),
    row({ name: 'GET /<b>', metric: 'p95', a: 40, b: 50, interval: [0.2, 0.9], verdict: 'worse' }),
    row({
      name: 'GET /<b>',
      metric: 'errorRate',
      a: 0.0125,
      b: 0,
      interval: [-0.02, -0.005],
      verdict: 'better',
    }),
    {
      ...row({ name: 'GET /gone', metric: 'p50', a: 1, b: 1, interval: [0, 0], verdict: 'not comparable' }),
      a: null,
      b: null,
      reason: 'B has no such route',
    },
  ],
  notes: ['new-1: the clock jumped\u202e.'],
}

function side(label: string, id: string): Comparison['a'] {
  return {
    label,
    runs: [
      { id, dir: `${label}/1`, startedAt: '2026-01-02T03:04:05Z', seconds: 20, requests: 1000 },
      { id, dir: `${label}/2`, startedAt: '2026-01-02T03:05:05Z', seconds: 30, requests: 1500 },
    ],
    facts: [{ name: 'mix', value: 'reads' }],
  }
}

function row(given: {
  name: string
  metric: 'p50' | 'p95' | 'errorRate'
  a: number
  b: number
  /** Points for a share, a share of A for a latency. */
  interval: [low: number, high: number]
  verdict?: Difference['verdict']
}): Difference {
  const { a, b, metric, verdict = 'no significant difference' } = given
  const [low, high] = given.interval
  const isShare = metric === 'errorRate'
  return {
    routeGroup: 'g',
    name: given.name,
    metric,
    unit: isShare ? 'share' : 'ms',
    a: { value: a, runs: [a, a] },
    b: { value: b, runs: [b, b] },
    difference: b - a,
    relativeDifference: (b - a) / a,
    interval: isShare ? { low, high } : { low: a * low, high: a * high },
    relativeInterval: isShare ? { low: low / a, high: high / a } : { low, high },
    pValue: 0.01,
    pAdjusted: 0.03,
    verdict,
    reason: 'so it is',
  }
}

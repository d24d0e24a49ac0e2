import { expect, test } from 'vitest'
import { type ComparedMetric, SMALLEST_EFFECTS } from '../../contract/comparison.ts'
import { judgeDifference } from './judge-difference.ts'

type Row = {
  what: string
  metric: ComparedMetric
  change: number
  relative: number | null
  reach: number
  p?: number
  pAdjusted?: number
  verdict: string
  reason: RegExp
}

const SURE = { p: 0.0001, pAdjusted: 0.003 }

test.each<Row>([
  {
    what: 'higher latency',
    metric: 'p95',
    change: 3,
    relative: 0.15,
    reach: 0.01,
    ...SURE,
    verdict: 'worse',
    reason: /^higher/,
  },
  {
    what: 'lower latency',
    metric: 'p50',
    change: -3,
    relative: -0.15,
    reach: 0.01,
    ...SURE,
    verdict: 'better',
    reason: /^lower/,
  },
  {
    what: 'lower throughput',
    metric: 'iterationsPerSecond',
    change: -10,
    relative: -0.1,
    reach: 0.01,
    ...SURE,
    verdict: 'worse',
    reason: /^lower/,
  },
  {
    what: 'a higher capacity',
    metric: 'capacity',
    change: 40,
    relative: 0.1,
    reach: 0.01,
    ...SURE,
    verdict: 'better',
    reason: /^higher/,
  },
  {
    what: 'more errors',
    metric: 'errorRate',
    change: 0.002,
    relative: null,
    reach: 0.0005,
    ...SURE,
    verdict: 'worse',
    reason: /^higher/,
  },
  {
    what: 'more dropped',
    metric: 'droppedRate',
    change: 0.01,
    relative: 2,
    reach: 0.0005,
    ...SURE,
    verdict: 'worse',
    reason: /^higher/,
  },
  {
    what: 'real, but below 5 %',
    metric: 'p50',
    change: 4,
    relative: 0.04,
    reach: 0.001,
    ...SURE,
    verdict: 'no significant difference',
    reason: /smaller than 5 % and 1 ms/,
  },
  {
    what: 'real, but below 1 ms',
    metric: 'p50',
    change: 0.9,
    relative: 0.5,
    reach: 0.001,
    ...SURE,
    verdict: 'no significant difference',
    reason: /smaller than 5 % and 1 ms/,
  },
  {
    what: 'real, but below 0.1 points',
    metric: 'errorRate',
    change: 0.0009,
    relative: null,
    reach: 0.0001,
    ...SURE,
    verdict: 'no significant difference',
    reason: /smaller than 0.1 percentage points/,
  },
  {
    what: 'just the smallest effect',
    metric: 'errorRate',
    change: 0.001,
    relative: null,
    reach: 0.0001,
    ...SURE,
    verdict: 'worse',
    reason: /^higher/,
  },
  {
    what: 'chance, and nothing that matters possible',
    metric: 'p50',
    change: 0.1,
    relative: 0.005,
    reach: 0.02,
    p: 0.5,
    pAdjusted: 1,
    verdict: 'no significant difference',
    reason: /ruled out$/,
  },
  {
    what: 'chance, but much is possible',
    metric: 'p50',
    change: 2,
    relative: 0.1,
    reach: 0.3,
    p: 0.3,
    pAdjusted: 1,
    verdict: 'no significant difference',
    reason: /not ruled out/,
  },
  {
    what: 'significant alone',
    metric: 'p50',
    change: 2,
    relative: 0.1,
    reach: 0.08,
    p: 0.01,
    pAdjusted: 0.3,
    verdict: 'no significant difference',
    reason: /among this many/,
  },
])('$what: $verdict', ({ metric, change, relative, reach, p = 1, pAdjusted = 1, verdict, reason }) => {
  const scale = relative === null ? 1 : change / relative
  const judgement = judgeDifference({
    metric,
    difference: change,
    relativeDifference: relative,
    interval: { low: change - reach * scale, high: change + reach * scale },
    relativeInterval: relative === null ? null : { low: relative - reach, high: relative + reach },
    pValue: p,
    pAdjusted,
    significance: 0.05,
    smallestEffects: SMALLEST_EFFECTS,
  })
  expect(judgement.verdict).toBe(verdict)
  expect(judgement.reason).toMatch(reason)
})

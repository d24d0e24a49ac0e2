import { expect, test } from 'vitest'
import type { TrialResult } from '../../contract/capacity.ts'
import { conclude } from './conclude.ts'
import { sampleTrial } from './sample-capacity.ts'

type Tried = readonly [rate: number, options?: Partial<Omit<TrialResult, 'meanMs'>>]
type Row = {
  tried: readonly Tried[]
  rateMax?: number
  interrupted?: boolean
  failed?: boolean
  found: readonly [
    rate: number | null,
    limitedBy: string | null,
    highestPassingRate: number | null,
    lowestFailingRate: number | null,
  ]
  statement: string
}

const SLOW = { outcome: 'fail', reason: 'p95 too long', throughput: 400, target: null } as const
const FULL = { ...SLOW, target: { cpuCores: 0.2, eventLoopLagMs: 3, queueMax: 300 } } as const
const LIMITED = { outcome: 'generator-limited', reason: 'k6 saturated' } as const
const BROKEN = { outcome: 'inconclusive', ended: 'crashed', reason: 'k6 did not end in time' } as const
const HELD = { phase: 'confirmation', secondsPlanned: 20, seconds: 20 } as const

const DECIDED: readonly Tried[] = [[400], [400], [412, SLOW], [412, SLOW], [412, SLOW]]

test.each<Row>([
  {
    tried: [...DECIDED, [400, HELD]],
    found: [400, 'slo', 400, 412],
    statement: '400 iterations/s, sustained for 20 s; at 412: p95 too long',
  },
  {
    tried: [[400], [400], [412, FULL], [412, FULL], [412, FULL], [400, HELD]],
    found: [400, 'target', 400, 412],
    statement: '400 iterations/s, sustained for 20 s; at 412: p95 too long',
  },
  {
    tried: DECIDED,
    found: [400, 'slo', 400, 412],
    statement: '400 iterations/s (not confirmed by a longer run); at 412: p95 too long',
  },
  {
    tried: [...DECIDED, [400, { ...HELD, ...SLOW }], [400, HELD]],
    found: [400, 'slo', 400, 412],
    statement: '400 iterations/s, sustained for 20 s on the second attempt; at 412: p95 too long',
  },
  {
    tried: [...DECIDED, [400, { ...HELD, ...SLOW }], [400, { ...HELD, ...SLOW }], [380, HELD]],
    found: [380, 'slo', 380, 400],
    statement:
      '380 iterations/s, sustained for 20 s; the search had found 400, not sustained for 20 s; at 400: p95 too long',
  },
  {
    tried: [[100], [200, SLOW]],
    found: [null, 'budget', 100, 200],
    statement:
      'at least 100 iterations/s and less than 200 before the budget of the search was used up; at 200: p95 too long',
  },
  {
    tried: [[100], [200, SLOW]],
    interrupted: true,
    found: [null, 'interrupted', 100, 200],
    statement:
      'at least 100 iterations/s and less than 200 before the search was interrupted; at 200: p95 too long',
  },
  {
    tried: [[100]],
    interrupted: true,
    found: [null, 'interrupted', 100, null],
    statement:
      'at least 100 iterations/s, the highest rate tried before the search was interrupted (not confirmed by a longer run)',
  },
  {
    tried: [[300], [300], [300, HELD]],
    rateMax: 300,
    found: [null, 'range', 300, null],
    statement: 'at least 300 iterations/s, the highest requested rate, sustained for 20 s',
  },
  {
    tried: [[400], [400], [500, LIMITED], [500, LIMITED], [500, LIMITED]],
    found: [null, 'generator', 400, 500],
    statement: 'generator-limited, at least 400 iterations/s; at 500: k6 saturated',
  },
  {
    tried: [[50, LIMITED]],
    found: [null, 'generator', null, 50],
    statement: 'generator-limited, no result for the target; at 50: k6 saturated',
  },
  // A rate that the generator could not produce is an upper bound: the search continues below it.
  {
    tried: [...DECIDED, [800, LIMITED], [400, HELD]],
    found: [400, 'slo', 400, 412],
    statement: '400 iterations/s, sustained for 20 s; at 412: p95 too long',
  },
  {
    tried: [
      [50, SLOW],
      [50, SLOW],
      [50, SLOW],
    ],
    found: [null, 'slo', null, 50],
    statement: 'no rate tried meets the objectives; at 50: p95 too long',
  },
  {
    tried: [[50, SLOW]],
    found: [null, 'budget', null, 50],
    statement: 'no rate met the objectives before the budget of the search was used up; at 50: p95 too long',
  },
  {
    tried: [[50, { outcome: 'inconclusive', reason: 'too few samples' }]],
    found: [null, null, null, null],
    statement: 'no result; at 50: too few samples',
  },
  {
    tried: [[100], [200, BROKEN], [200, BROKEN]],
    found: [null, null, 100, null],
    statement:
      'at least 100 iterations/s: at 200 no trial could be judged (k6 did not end in time) (not confirmed by a longer run)',
  },
  {
    tried: [[100], [200, SLOW], [141, BROKEN], [141, BROKEN]],
    found: [null, null, 100, 200],
    statement:
      'at least 100 iterations/s and less than 200: at 141 no trial could be judged (k6 did not end in time); at 200: p95 too long',
  },
  {
    tried: [
      [50, SLOW],
      [3.7, { outcome: 'inconclusive', reason: 'too few samples', secondsPlanned: 60 }],
    ],
    found: [null, null, null, 50],
    statement:
      'no rate met the objectives: at 3.7 no trial could be judged (too few samples); at 50: p95 too long',
  },
  // Repeating or extending it is what the budget was too small for.
  {
    tried: [[100], [200, BROKEN]],
    found: [null, 'budget', 100, null],
    statement:
      'at least 100 iterations/s, the highest rate tried before the budget of the search was used up (not confirmed by a longer run)',
  },
  {
    tried: [[100], [200, SLOW]],
    failed: true,
    found: [null, null, 100, 200],
    statement: 'at least 100 iterations/s and less than 200 before the search failed; at 200: p95 too long',
  },
  {
    tried: [],
    interrupted: true,
    found: [null, 'interrupted', null, null],
    statement: 'no result: no trial was run before the search was interrupted',
  },
  {
    tried: [],
    failed: true,
    found: [null, null, null, null],
    statement: 'no result: no trial was run before the search failed',
  },
])('$statement', ({ tried, rateMax = null, interrupted = false, failed = false, found, statement }) => {
  const { rate, limitedBy, highestPassingRate, lowestFailingRate, ...conclusion } = concludeFrom(tried, {
    rateMax,
    interrupted,
    failed,
  })
  expect([rate, limitedBy, highestPassingRate, lowestFailingRate]).toEqual(found)
  expect(conclusion.statement).toBe(statement)
})

test('takes requests/s from the trials that passed at the rate', () => {
  const at = (requests: number): Tried => [400, { requests, seconds: 5 }]
  expect(concludeFrom([at(4000), at(4100), [412, SLOW]], {}).requestsPerSecond).toBe(810)
})

type StageRow = { stages: readonly Tried[]; interrupted?: boolean; found: Row['found']; statement: string }

test.each<StageRow>([
  {
    stages: [[50], [100, { rateFrom: 50 }]],
    found: [null, null, 50, null],
    statement: '2 of 2 stages met the objectives',
  },
  {
    stages: [[50], [250, { rateFrom: 50, ...SLOW }], [250, SLOW], [50]],
    found: [null, 'slo', 50, 250],
    statement: '2 of 4 stages met the objectives; first miss at 50 to 250 iterations/s: p95 too long',
  },
  // A stage that passed once but failed again, or above a failed one, is no capacity.
  {
    stages: [[50], [100], [100, SLOW], [200]],
    found: [null, 'slo', 50, 100],
    statement: '3 of 4 stages met the objectives; first miss at 100 iterations/s: p95 too long',
  },
  {
    stages: [
      [100, LIMITED],
      [50, SLOW],
    ],
    found: [null, 'slo', null, 50],
    statement: '0 of 2 stages met the objectives; first miss at 50 iterations/s: p95 too long',
  },
  {
    stages: [[50, LIMITED]],
    found: [null, 'generator', null, null],
    statement: '50 iterations/s for 5 s: the load generator saturated: k6 saturated',
  },
  {
    stages: [[50]],
    found: [null, null, 50, null],
    statement: '50 iterations/s for 5 s: met the objectives',
  },
  {
    stages: [[50, SLOW]],
    found: [null, 'slo', null, 50],
    statement: '50 iterations/s for 5 s: missed the objectives: p95 too long',
  },
  {
    stages: [[50, BROKEN]],
    found: [null, null, null, null],
    statement: '50 iterations/s for 5 s: inconclusive: k6 did not end in time',
  },
  {
    stages: [[50], [100, LIMITED]],
    found: [null, 'generator', 50, null],
    statement:
      '1 of 2 stages met the objectives; the load generator saturated at 100 iterations/s: k6 saturated',
  },
  {
    stages: [[50]],
    interrupted: true,
    found: [null, 'interrupted', 50, null],
    statement: '50 iterations/s for 5 s: interrupted',
  },
])('$statement', ({ stages, interrupted = false, found, statement }) => {
  const tried = stages.map(([rate, options]): Tried => [rate, { ...options, phase: 'stage' }])
  const { rate, limitedBy, highestPassingRate, lowestFailingRate, ...conclusion } = concludeFrom(tried, {
    interrupted,
  })
  expect([rate, limitedBy, highestPassingRate, lowestFailingRate]).toEqual(found)
  expect([conclusion.statement, conclusion.loads]).toEqual([statement, []])
})

function concludeFrom(
  tried: readonly Tried[],
  {
    rateMax = null,
    interrupted = false,
    failed = false,
  }: { rateMax?: number | null; interrupted?: boolean; failed?: boolean },
) {
  return conclude({
    mix: 'reads',
    results: tried.map(([rate, options], index) =>
      sampleTrial({ trial: index + 1, rate, meanMs: 1, target: null, ...options }),
    ),
    goal: { relativeWidth: 0.05, trialSeconds: 5, finalSeconds: 20, rateMax },
    budget: { secondsMax: 300, secondsUsed: 100, requestsMax: null, requestsUsed: 1 },
    interrupted,
    failed,
  })
}

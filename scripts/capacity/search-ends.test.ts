import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Capacity, TrialOutcome, TrialResult } from '../../contract/capacity.ts'
import { conclude } from '../../reports/capacity/conclude.ts'
import { sampleTrial } from '../../reports/capacity/sample-capacity.ts'
import type { Budget } from '../load/with-trials.ts'
import { SEARCH_DEFAULTS } from './next-rate.ts'
import { nextTrial, type PlannedTrial, type SearchEnd } from './search.ts'

type Outcome = { outcome: TrialOutcome; servedShare: number }

const answer: fc.Arbitrary<Outcome> = fc.record({
  outcome: fc.constantFrom<TrialOutcome>(
    'pass',
    'pass',
    'pass',
    'fail',
    'fail',
    'generator-limited',
    'inconclusive',
  ),
  servedShare: fc.double({ min: 0, max: 1, noNaN: true }),
})
const bounds = fc.record({
  rateMax: fc.option(fc.integer({ min: 60, max: 3000 })),
  secondsMax: fc.integer({ min: 10, max: 600 }),
  requestsMax: fc.option(fc.integer({ min: 100, max: 500_000 })),
})

/**
 * Limits that each end of a search may report. A search that runs out of budget may report any, except a complete
 * result.
 */
const LIMITS_BY_END: Readonly<Record<SearchEnd['done'], readonly Capacity['limitedBy'][]>> = {
  found: ['slo', 'target'],
  range: ['range'],
  generator: ['generator'],
  none: ['slo', 'target', 'generator'],
  budget: ['budget', 'generator', 'slo', 'target', 'range', null],
  // `range`: the highest rate passed, and a repetition there could not be judged.
  inconclusive: ['generator', 'slo', 'target', 'range', null],
}

test('whatever a target does, the search ends within its budget and as its trials say', () => {
  fc.assert(
    fc.property(fc.infiniteStream(answer), bounds, (answers, { rateMax, ...limits }) => {
      const plan = { ...SEARCH_DEFAULTS, rateMax }
      const trials: TrialResult[] = []
      const budget: Budget = { secondsUsed: 0, requestsUsed: 0, ...limits }
      for (;;) {
        const next = nextTrial({ plan, trials, budget })
        if ('done' in next) {
          const concluded = conclude({ mix: 'any', results: trials, goal: plan, budget, interrupted: false })
          expect(LIMITS_BY_END[next.done]).toContain(concluded.limitedBy)
          if (next.done === 'found')
            expect(concluded).toMatchObject({ confirmed: true, rate: expect.any(Number) })
          if (next.done !== 'found' && next.done !== 'budget' && next.done !== 'inconclusive')
            expect(concluded.rate).toBeNull()
          return
        }
        expect(next.rate).toBeGreaterThan(0)
        expect(next.rate).toBeLessThanOrEqual(rateMax ?? Number.POSITIVE_INFINITY)
        spend(budget, next)
        const { value } = answers.next()
        trials.push(buildResult(next, trials.length + 1, value))
      }
    }),
  )
})

function spend(budget: Budget, { rate, seconds, warmUpSeconds, pauseSeconds }: PlannedTrial): void {
  budget.secondsUsed += pauseSeconds + warmUpSeconds + seconds
  budget.requestsUsed += Math.ceil(rate * (warmUpSeconds + seconds))
  expect(budget.secondsUsed).toBeLessThanOrEqual(budget.secondsMax)
  expect(budget.requestsUsed).toBeLessThanOrEqual(budget.requestsMax ?? Number.POSITIVE_INFINITY)
}

function buildResult(
  { phase, rate, seconds, warmUpSeconds }: PlannedTrial,
  trial: number,
  { outcome, servedShare }: Outcome,
): TrialResult {
  return sampleTrial({
    trial,
    phase,
    rate,
    warmUpSeconds,
    seconds,
    secondsPlanned: seconds,
    outcome,
    meanMs: 1,
    target: null,
    throughput: outcome === 'pass' ? rate : rate * servedShare,
    reason: `${outcome} ${trial}`,
  })
}

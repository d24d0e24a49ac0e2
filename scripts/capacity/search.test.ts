import { expect, test } from 'vitest'
import type { TrialOutcome, TrialResult } from '../../contract/capacity.ts'
import { sampleTrial } from '../../reports/capacity/sample-capacity.ts'
import { SEARCH_DEFAULTS, type SearchPlan } from './next-rate.ts'
import { nextTrial } from './search.ts'

const PLENTY = { secondsMax: 300, secondsUsed: 0, requestsMax: null, requestsUsed: 0 }

/** By default the served rate equals the offered rate, and each trial counts fully. */
type Tried = readonly [rate: number, outcome: TrialOutcome, options?: Partial<Omit<TrialResult, 'meanMs'>>]
type Row = { what: string; tried: readonly Tried[]; plan?: Partial<SearchPlan>; next: string }

const SHORT = { secondsPlanned: 2, seconds: 2 }
const LONG = { phase: 'confirmation', secondsPlanned: 20, seconds: 20 } as const
const RAMPED: readonly Tried[] = [
  [100, 'pass', SHORT],
  [200, 'pass', SHORT],
  [400, 'pass', SHORT],
  [800, 'fail', { ...SHORT, throughput: 500 }],
]
const BRACKETED: readonly Tried[] = [
  ...RAMPED,
  [492, 'pass'],
  [516, 'fail', { throughput: 500 }],
  [492, 'pass'],
  [516, 'fail', { throughput: 500 }],
  [516, 'fail', { throughput: 500 }],
]

test.each<Row>([
  { what: 'begins', tried: [], next: 'search 50/s 5 s, ramping up' },
  { what: 'doubles', tried: [[50, 'pass']], next: 'search 100/s 3 s, ramping up' },
  {
    what: 'makes short trials while ramping up',
    tried: [[400, 'pass']],
    next: 'search 800/s 2 s, ramping up',
  },
  {
    what: 'ramps up to the highest allowed rate',
    tried: [[200, 'pass']],
    plan: { rateMax: 300 },
    next: 'search 300/s 2 s, ramping up',
  },
  {
    what: 'starts where percentiles can be judged',
    tried: [],
    plan: { samplesMin: 10_000 },
    next: 'search 500/s 22 s, ramping up',
  },
  {
    what: 'tries a higher rate after a first miss without overload',
    tried: [
      [100, 'pass', SHORT],
      [200, 'fail', SHORT],
    ],
    next: 'search 400/s 2 s, ramping up',
  },
  {
    what: 'repeats a miss if a higher rate passes',
    tried: [
      [100, 'pass', SHORT],
      [200, 'fail', SHORT],
      [400, 'pass', SHORT],
    ],
    next: 'search 200/s 2 s, again',
  },
  {
    what: 'tries below the throughput of an overloaded target',
    tried: RAMPED,
    next: 'search 493/s 5 s, narrowing down',
  },
  {
    what: 'tries above it if that passes',
    tried: [...RAMPED, [493, 'pass']],
    next: 'search 516/s 5 s, narrowing down',
  },
  {
    what: 'repeats a miss below the known throughput',
    tried: [...RAMPED, [492, 'fail']],
    next: 'search 492/s 5 s, again',
  },
  {
    what: 'halves by the geometric mean if no throughput is known',
    tried: [
      [100, 'pass'],
      [200, 'fail'],
      [400, 'fail', { throughput: 390 }],
      [200, 'fail'],
    ],
    next: 'search 141/s 2 s, narrowing down',
  },
  {
    what: 'alternates between close bounds',
    tried: BRACKETED.slice(0, 6),
    next: 'search 492/s 5 s, deciding',
  },
  {
    what: 'alternates between close bounds',
    tried: BRACKETED.slice(0, 7),
    next: 'search 516/s 5 s, deciding',
  },
  { what: 'confirms the decided rate', tried: BRACKETED, next: 'confirmation 492/s 20 s, confirming' },
  { what: 'ends confirmed', tried: [...BRACKETED, [492, 'pass', LONG]], next: 'found' },
  {
    what: 'repeats a failed confirmation',
    tried: [...BRACKETED, [492, 'fail', LONG]],
    next: 'confirmation 492/s 20 s, repeating the confirmation',
  },
  {
    what: 'ends if the repetition passes',
    tried: [...BRACKETED, [492, 'fail', LONG], [492, 'pass', LONG]],
    next: 'found',
  },
  {
    what: 'steps down after two failures',
    tried: [...BRACKETED, [492, 'fail', LONG], [492, 'fail', LONG]],
    next: 'confirmation 467/s 20 s, confirming a step below',
  },
  {
    what: 'ends if the step below passes',
    tried: [...BRACKETED, [492, 'fail', LONG], [492, 'fail', LONG], [467, 'pass', LONG]],
    next: 'found',
  },
  {
    what: 'after a missed first rate, tries the known throughput',
    tried: [[50, 'fail', { throughput: 20 }]],
    next: 'search 19.7/s 12 s, going down',
  },
  {
    what: 'after a missed first rate, steps down if no higher rate passes',
    tried: [
      [50, 'fail'],
      [100, 'fail'],
      [50, 'fail'],
    ],
    next: 'search 12.5/s 18 s, going down',
  },
  {
    what: 'reports that the lowest rate misses',
    tried: [[50, 'fail', { throughput: 20 }]],
    plan: { rateMin: 50 },
    next: 'search 50/s 5 s, deciding',
  },
  {
    what: 'ends at the lowest rate',
    tried: Array(3).fill([50, 'fail', { throughput: 20 }]),
    plan: { rateMin: 50 },
    next: 'none',
  },
  {
    what: 'continues below a rate that the generator could not reach',
    tried: [
      [400, 'pass', SHORT],
      [800, 'generator-limited', SHORT],
    ],
    next: 'search 566/s 2 s, narrowing down',
  },
  {
    what: 'ends generator-limited if the bounds are close enough',
    tried: [...Array(2).fill([400, 'pass']), ...Array(3).fill([500, 'generator-limited'])],
    next: 'generator',
  },
  {
    what: 'finds a capacity below a rate that the generator could not reach',
    tried: [
      [400, 'pass'],
      [800, 'generator-limited', { ...SHORT, throughput: 510 }],
      [566, 'fail', { throughput: 500 }],
    ],
    next: 'search 493/s 5 s, narrowing down',
  },
  {
    what: 'repeats an unjudged trial for longer',
    tried: [[50, 'inconclusive']],
    next: 'search 50/s 10 s, longer, for more requests',
  },
  {
    what: 'ends if longer trials do not help',
    tried: [
      [50, 'inconclusive', { reason: 'no such routes' }],
      [50, 'inconclusive', { reason: 'no such routes', secondsPlanned: 10 }],
    ],
    next: 'inconclusive',
  },
  {
    what: 'retries after k6 crashed',
    tried: [[50, 'inconclusive', { ended: 'crashed' }]],
    next: 'search 50/s 5 s, again',
  },
  {
    what: 'ends if k6 crashes again',
    tried: Array(2).fill([50, 'inconclusive', { ended: 'crashed' }]),
    next: 'inconclusive',
  },
  {
    what: 'decides, confirms and ends at the highest allowed rate',
    tried: [
      [300, 'pass'],
      [300, 'pass'],
    ],
    plan: { rateMax: 300 },
    next: 'confirmation 300/s 20 s, confirming',
  },
  {
    what: 'ends at the highest allowed rate',
    tried: [
      [300, 'pass'],
      [300, 'pass'],
      [300, 'pass', LONG],
    ],
    plan: { rateMax: 300 },
    next: 'range',
  },
])('$what: $next', ({ tried, plan, next }) => {
  expect(
    formatNext(
      nextTrial({ plan: { ...SEARCH_DEFAULTS, ...plan }, trials: buildTrials(tried), budget: PLENTY }),
    ),
  ).toBe(next)
})

test('one bad trial only causes a repetition', () => {
  const bad: Tried = [493, 'fail', { throughput: 480 }]
  const after = [...BRACKETED.slice(0, 4), bad]
  const next = nextTrial({ plan: SEARCH_DEFAULTS, trials: buildTrials(after), budget: PLENTY })
  expect(formatNext(next)).toBe('search 493/s 5 s, again')
  const healed = nextTrial({
    plan: SEARCH_DEFAULTS,
    trials: buildTrials([...after, [493, 'pass'], [493, 'pass']]),
    budget: PLENTY,
  })
  expect(formatNext(healed)).toBe('search 516/s 5 s, narrowing down')
})

test('lets a target work off its backlog', () => {
  const pauseAfter = (throughput: number, dropped = 0) => {
    const trials = buildTrials([...RAMPED.slice(0, 3), [800, 'fail', { ...SHORT, throughput, dropped }]])
    const next = nextTrial({ plan: SEARCH_DEFAULTS, trials, budget: PLENTY })
    return 'done' in next ? undefined : next.pauseSeconds
  }
  expect([pauseAfter(800), pauseAfter(500), pauseAfter(400), pauseAfter(400, 600), pauseAfter(40)]).toEqual([
    0, 1, 2, 0, 10,
  ])
})

type BudgetRow = {
  what: string
  tried: readonly Tried[]
  left: { seconds?: number; requests?: number }
  next: string
}

test.each<BudgetRow>([
  { what: 'no time for a trial', tried: [], left: { seconds: 8.9 }, next: 'budget' },
  { what: 'time for one trial', tried: [], left: { seconds: 9 }, next: 'search 50/s 5 s, ramping up' },
  {
    what: 'enough time to confirm, but not to search on',
    tried: RAMPED,
    left: { seconds: 30 },
    next: 'confirmation 400/s 20 s, confirming',
  },
  {
    what: 'enough time for a trial and its confirmation',
    tried: RAMPED,
    left: { seconds: 36 },
    next: 'search 493/s 5 s, narrowing down',
  },
  {
    what: 'enough requests to confirm',
    tried: RAMPED,
    left: { requests: 9000 },
    next: 'confirmation 400/s 20 s, confirming',
  },
  { what: 'no requests left', tried: RAMPED, left: { requests: 8000 }, next: 'budget' },
])('$what: $next', ({ tried, left, next }) => {
  const budget = {
    secondsMax: 300,
    secondsUsed: 300 - (left.seconds ?? 300),
    requestsMax: 100_000,
    requestsUsed: 100_000 - (left.requests ?? 100_000),
  }
  expect(formatNext(nextTrial({ plan: SEARCH_DEFAULTS, trials: buildTrials(tried), budget }))).toBe(next)
})

function formatNext(next: ReturnType<typeof nextTrial>): string {
  return 'done' in next ? next.done : `${next.phase} ${next.rate}/s ${next.seconds} s, ${next.why}`
}

function buildTrials(tried: readonly Tried[]): TrialResult[] {
  return tried.map(([rate, outcome, options], index) =>
    sampleTrial({ trial: index + 1, rate, outcome, meanMs: 1, ...options }),
  )
}

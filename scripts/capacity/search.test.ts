import { expect, test } from 'vitest'
import type { TrialOutcome, TrialResult } from '../../contract/capacity.ts'
import { sampleTrial } from '../../reports/capacity/sample-capacity.ts'
import { SEARCH_DEFAULTS, type SearchPlan } from './next-rate.ts'
import { nextTrial } from './search.ts'

const PLENTY = { secondsMax: 300, secondsUsed: 0, requestsMax: null, requestsUsed: 0 }

/** What was served is the rate where nothing else is said, and each trial counts in full. */
type Tried = readonly [rate: number, outcome: TrialOutcome, options?: Partial<Omit<TrialResult, 'meanMs'>>]
type Row = { what: string; tried: readonly Tried[]; plan?: Partial<SearchPlan>; next: string }

const SHORT = { secondsPlanned: 2, seconds: 2 }
const LONG = { phase: 'confirmation', secondsPlanned: 20, seconds: 20 } as const
const RAMPED: readonly Tried[] = [
  [100, 'met', SHORT],
  [200, 'met', SHORT],
  [400, 'met', SHORT],
  [800, 'missed', { ...SHORT, throughput: 500 }],
]
const BRACKETED: readonly Tried[] = [
  ...RAMPED,
  [492, 'met'],
  [516, 'missed', { throughput: 500 }],
  [492, 'met'],
  [516, 'missed', { throughput: 500 }],
  [516, 'missed', { throughput: 500 }],
]

test.each<Row>([
  { what: 'begins', tried: [], next: 'search 50/s 5 s, ramping up' },
  { what: 'doubles', tried: [[50, 'met']], next: 'search 100/s 3 s, ramping up' },
  { what: 'makes short trials on its way', tried: [[400, 'met']], next: 'search 800/s 2 s, ramping up' },
  {
    what: 'goes up to the highest rate that is asked for',
    tried: [[200, 'met']],
    plan: { rateMax: 300 },
    next: 'search 300/s 2 s, ramping up',
  },
  {
    what: 'begins where quantiles can be judged',
    tried: [],
    plan: { samplesMin: 10_000 },
    next: 'search 500/s 22 s, ramping up',
  },
  {
    what: 'looks above a first miss without overload',
    tried: [
      [100, 'met', SHORT],
      [200, 'missed', SHORT],
    ],
    next: 'search 400/s 2 s, ramping up',
  },
  {
    what: 'measures again where more is met above',
    tried: [
      [100, 'met', SHORT],
      [200, 'missed', SHORT],
      [400, 'met', SHORT],
    ],
    next: 'search 200/s 2 s, once more',
  },
  {
    what: 'goes below what an overloaded target serves',
    tried: RAMPED,
    next: 'search 493/s 5 s, narrowing down',
  },
  {
    what: 'goes above it where that is met',
    tried: [...RAMPED, [493, 'met']],
    next: 'search 516/s 5 s, narrowing down',
  },
  {
    what: 'measures again what is missed below what was served',
    tried: [...RAMPED, [492, 'missed']],
    next: 'search 492/s 5 s, once more',
  },
  {
    what: 'halves by the geometric middle where nothing tells what is served',
    tried: [
      [100, 'met'],
      [200, 'missed'],
      [400, 'missed', { throughput: 390 }],
      [200, 'missed'],
    ],
    next: 'search 141/s 2 s, narrowing down',
  },
  {
    what: 'decides bounds that are close by turns',
    tried: BRACKETED.slice(0, 6),
    next: 'search 492/s 5 s, deciding',
  },
  {
    what: 'decides bounds that are close by turns',
    tried: BRACKETED.slice(0, 7),
    next: 'search 516/s 5 s, deciding',
  },
  { what: 'confirms what is decided', tried: BRACKETED, next: 'confirmation 492/s 20 s, confirming' },
  { what: 'ends confirmed', tried: [...BRACKETED, [492, 'met', LONG]], next: 'found' },
  {
    what: 'confirms once more',
    tried: [...BRACKETED, [492, 'missed', LONG]],
    next: 'confirmation 492/s 20 s, repeating the confirmation',
  },
  {
    what: 'ends where that held',
    tried: [...BRACKETED, [492, 'missed', LONG], [492, 'met', LONG]],
    next: 'found',
  },
  {
    what: 'goes a step down where it did not hold twice',
    tried: [...BRACKETED, [492, 'missed', LONG], [492, 'missed', LONG]],
    next: 'confirmation 467/s 20 s, confirming a step below',
  },
  {
    what: 'ends where the step below held',
    tried: [...BRACKETED, [492, 'missed', LONG], [492, 'missed', LONG], [467, 'met', LONG]],
    next: 'found',
  },
  {
    what: 'goes down where the first rate is missed: to what was served',
    tried: [[50, 'missed', { throughput: 20 }]],
    next: 'search 19.7/s 12 s, going down',
  },
  {
    what: 'goes down where the first rate is missed, and none above was met',
    tried: [
      [50, 'missed'],
      [100, 'missed'],
      [50, 'missed'],
    ],
    next: 'search 12.5/s 18 s, going down',
  },
  {
    what: 'decides that the lowest rate is missed',
    tried: [[50, 'missed', { throughput: 20 }]],
    plan: { rateMin: 50 },
    next: 'search 50/s 5 s, deciding',
  },
  {
    what: 'ends where it is',
    tried: Array(3).fill([50, 'missed', { throughput: 20 }]),
    plan: { rateMin: 50 },
    next: 'none',
  },
  {
    what: 'goes on below a rate that the generator could not make',
    tried: [
      [400, 'met', SHORT],
      [800, 'generator', SHORT],
    ],
    next: 'search 566/s 2 s, narrowing down',
  },
  {
    what: 'ends with the generator where the bounds are near enough',
    tried: [...Array(2).fill([400, 'met']), ...Array(3).fill([500, 'generator'])],
    next: 'generator',
  },
  {
    what: 'finds a capacity below what the generator could not make',
    tried: [
      [400, 'met'],
      [800, 'generator', { ...SHORT, throughput: 510 }],
      [566, 'missed', { throughput: 500 }],
    ],
    next: 'search 493/s 5 s, narrowing down',
  },
  {
    what: 'tries the same for longer where nothing could be judged',
    tried: [[50, 'unjudged']],
    next: 'search 50/s 10 s, longer, for more requests',
  },
  {
    what: 'ends where longer is no help',
    tried: [
      [50, 'unjudged', { because: 'no such routes' }],
      [50, 'unjudged', { because: 'no such routes', secondsPlanned: 10 }],
    ],
    next: 'unjudged',
  },
  {
    what: 'tries once more where k6 broke down',
    tried: [[50, 'unjudged', { ended: 'broken' }]],
    next: 'search 50/s 5 s, once more',
  },
  {
    what: 'ends where it breaks down again',
    tried: Array(2).fill([50, 'unjudged', { ended: 'broken' }]),
    next: 'unjudged',
  },
  {
    what: 'decides, confirms and ends at the highest rate that is asked for',
    tried: [
      [300, 'met'],
      [300, 'met'],
    ],
    plan: { rateMax: 300 },
    next: 'confirmation 300/s 20 s, confirming',
  },
  {
    what: 'ends at the highest rate that is asked for',
    tried: [
      [300, 'met'],
      [300, 'met'],
      [300, 'met', LONG],
    ],
    plan: { rateMax: 300 },
    next: 'range',
  },
])('$what: $next', ({ tried, plan, next }) => {
  expect(
    told(nextTrial({ plan: { ...SEARCH_DEFAULTS, ...plan }, trials: trialsOf(tried), budget: PLENTY })),
  ).toBe(next)
})

test('one bad trial of a load changes nothing but that it is measured again', () => {
  const bad: Tried = [493, 'missed', { throughput: 480 }]
  const after = [...BRACKETED.slice(0, 4), bad]
  const next = nextTrial({ plan: SEARCH_DEFAULTS, trials: trialsOf(after), budget: PLENTY })
  expect(told(next)).toBe('search 493/s 5 s, once more')
  const healed = nextTrial({
    plan: SEARCH_DEFAULTS,
    trials: trialsOf([...after, [493, 'met'], [493, 'met']]),
    budget: PLENTY,
  })
  expect(told(healed)).toBe('search 516/s 5 s, narrowing down')
})

test('a target that was left behind with requests is given time to work them off', () => {
  const pauseAfter = (throughput: number, dropped = 0) => {
    const trials = trialsOf([...RAMPED.slice(0, 3), [800, 'missed', { ...SHORT, throughput, dropped }]])
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
    what: 'no time to search on, but to confirm what is known',
    tried: RAMPED,
    left: { seconds: 30 },
    next: 'confirmation 400/s 20 s, confirming',
  },
  {
    what: 'time for a trial and to confirm after it',
    tried: RAMPED,
    left: { seconds: 36 },
    next: 'search 493/s 5 s, narrowing down',
  },
  {
    what: 'requests to confirm what is known',
    tried: RAMPED,
    left: { requests: 9000 },
    next: 'confirmation 400/s 20 s, confirming',
  },
  { what: 'requests for nothing', tried: RAMPED, left: { requests: 8000 }, next: 'budget' },
])('$what: $next', ({ tried, left, next }) => {
  const budget = {
    secondsMax: 300,
    secondsUsed: 300 - (left.seconds ?? 300),
    requestsMax: 100_000,
    requestsUsed: 100_000 - (left.requests ?? 100_000),
  }
  expect(told(nextTrial({ plan: SEARCH_DEFAULTS, trials: trialsOf(tried), budget }))).toBe(next)
})

function told(next: ReturnType<typeof nextTrial>): string {
  return 'done' in next ? next.done : `${next.phase} ${next.rate}/s ${next.seconds} s, ${next.why}`
}

function trialsOf(tried: readonly Tried[]): TrialResult[] {
  return tried.map(([rate, outcome, options], index) =>
    sampleTrial({ trial: index + 1, rate, outcome, meanMs: 1, ...options }),
  )
}

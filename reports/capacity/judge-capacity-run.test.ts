import { expect, test } from 'vitest'
import type { Capacity, TrialOutcome } from '../../contract/capacity.ts'
import type { Run } from '../../contract/run.ts'
import { judgeCapacityRun } from './judge-capacity-run.ts'
import { sampleCapacity } from './sample-capacity.ts'

type Row = {
  state?: Run['state']
  strict?: true
  /** Rate that is required. */
  require?: number
  /** A fixed profile in place of a search; `held`: one load. */
  stages?: string | 'held'
  found?: Partial<Pick<Capacity, 'rate' | 'confirmed' | 'limitedBy' | 'atLeast' | 'brokeAt'>>
  outcomes?: TrialOutcome[]
  verdict: string
  exitCode: number
}

const FOUND = { rate: 400, confirmed: true, limitedBy: 'slo', atLeast: 400, brokeAt: 420 } as const
const BROKE = { rate: null, confirmed: false, limitedBy: 'slo', atLeast: null, brokeAt: 10 } as const
const GENERATOR = {
  rate: null,
  confirmed: false,
  limitedBy: 'generator',
  atLeast: 300,
  brokeAt: null,
} as const
const BUDGET = { rate: null, confirmed: false, limitedBy: 'budget', atLeast: 300, brokeAt: 420 } as const
const RANGE = { rate: null, confirmed: false, limitedBy: 'range', atLeast: 300, brokeAt: null } as const

test.each<Row>([
  { found: FOUND, verdict: 'pass', exitCode: 0 },
  { found: FOUND, strict: true, verdict: 'pass', exitCode: 0 },
  { found: { ...FOUND, confirmed: false }, verdict: 'inconclusive', exitCode: 0 },
  { found: { ...FOUND, confirmed: false }, strict: true, verdict: 'inconclusive', exitCode: 4 },
  { found: BROKE, verdict: 'fail', exitCode: 1 },
  { found: BROKE, outcomes: ['unjudged', 'missed'], verdict: 'inconclusive', exitCode: 0 },
  { found: GENERATOR, verdict: 'inconclusive', exitCode: 0 },
  { found: GENERATOR, strict: true, verdict: 'inconclusive', exitCode: 4 },
  { found: { ...GENERATOR, atLeast: null, brokeAt: 50 }, verdict: 'inconclusive', exitCode: 0 },
  { found: BUDGET, verdict: 'inconclusive', exitCode: 0 },
  { found: BUDGET, strict: true, verdict: 'inconclusive', exitCode: 4 },
  { found: RANGE, verdict: 'pass', exitCode: 0 },
  { found: RANGE, strict: true, verdict: 'pass', exitCode: 0 },
  { found: FOUND, state: 'interrupted', verdict: 'interrupted', exitCode: 130 },
  { found: BROKE, state: 'running', verdict: 'interrupted', exitCode: 130 },
  { found: BUDGET, state: 'failed', verdict: 'inconclusive', exitCode: 3 },
  { found: BROKE, state: 'failed', verdict: 'fail', exitCode: 1 },
  { found: BUDGET, outcomes: ['unjudged'], verdict: 'inconclusive', exitCode: 3 },
  { found: BUDGET, outcomes: [], verdict: 'inconclusive', exitCode: 3 },
  { found: FOUND, require: 400, verdict: 'pass', exitCode: 0 },
  { found: FOUND, require: 401, verdict: 'fail', exitCode: 1 },
  { found: BUDGET, require: 420, verdict: 'fail', exitCode: 1 },
  { found: BUDGET, require: 400, verdict: 'inconclusive', exitCode: 4 },
  { found: BUDGET, require: 300, verdict: 'inconclusive', exitCode: 0 },
  { found: GENERATOR, require: 400, verdict: 'inconclusive', exitCode: 4 },
  { found: RANGE, require: 300, verdict: 'pass', exitCode: 0 },
  { stages: 'ramp', outcomes: ['met', 'met'], verdict: 'pass', exitCode: 0 },
  { stages: 'ramp', outcomes: ['met', 'missed'], verdict: 'fail', exitCode: 1 },
  { stages: 'ramp', outcomes: ['met', 'generator'], verdict: 'inconclusive', exitCode: 0 },
  { stages: 'held', outcomes: ['met'], verdict: 'pass', exitCode: 0 },
  { stages: 'held', outcomes: ['missed'], verdict: 'fail', exitCode: 1 },
  { stages: 'held', outcomes: ['generator'], strict: true, verdict: 'inconclusive', exitCode: 4 },
  { stages: 'held', outcomes: ['unjudged'], verdict: 'inconclusive', exitCode: 3 },
])('%j', ({ verdict, exitCode, ...row }) => {
  expect(judgeCapacityRun(standingOf(row))).toMatchObject({ verdict, exitCode })
})

test.each<Omit<Row, 'verdict' | 'exitCode'> & { because: string }>([
  { found: BUDGET, because: 'the capacity was not found and confirmed' },
  { found: FOUND, require: 401, because: 'the rate that was required was not reached' },
  {
    stages: 'held',
    outcomes: ['generator'],
    because: 'whether the target serves the load was not shown',
  },
  {
    stages: 'held',
    outcomes: ['generator'],
    strict: true,
    because: 'whether the target serves the load was not shown, and --strict asked for certainty',
  },
])('says why: $because', ({ because, ...row }) => {
  expect(judgeCapacityRun(standingOf(row)).because).toBe(because)
})

function standingOf(row: Omit<Row, 'verdict' | 'exitCode'>) {
  const { state = 'finished', strict = false, require: rateRequired = null, stages, found = {} } = row
  const sample = sampleCapacity()
  const [trial] = sample.trials
  if (trial === undefined) throw new Error('the sample has no trial')
  const search = {
    secondsMax: 300,
    requestsMax: null,
    relativeWidth: 0.05,
    trialSeconds: 5,
    finalSeconds: 10,
    rateMax: null,
  }
  const outcomes = row.outcomes ?? ['met']
  return {
    run: {
      state,
      strict,
      search: stages === 'held' ? null : { ...search, stages: stages ?? null, rateRequired },
    },
    capacity: {
      ...sample,
      ...found,
      trials: outcomes.map((outcome) => ({
        ...trial,
        phase: stages ? ('stage' as const) : trial.phase,
        outcome,
      })),
    },
  }
}

import { describe, expect, test } from 'vitest'
import type { Capacity, TrialOutcome } from '../contract/capacity.ts'
import type { Verdict } from '../contract/finding.ts'
import type { Run } from '../contract/run.ts'
import { sampleCapacity } from './capacity/sample-capacity.ts'
import { judgeCapacityRun, judgeRun, type Standing } from './judge-run.ts'

type Row = {
  state?: Run['state']
  strict?: true
  minJudged?: number
  sloSkipped?: string
  /** Failed rules are waived. */
  waived?: true
  k6?: number | null
  rules?: Verdict[]
  slo?: ('pass' | 'fail' | 'inconclusive')[]
  verdict: string
  exitCode: number
}

test.each<Row>([
  { rules: ['pass'], verdict: 'pass', exitCode: 0 },
  { rules: ['pass', 'skipped'], slo: ['pass'], verdict: 'pass', exitCode: 0 },
  { rules: ['pass', 'inconclusive'], verdict: 'pass', exitCode: 0 },
  { rules: ['pass'], slo: ['inconclusive'], verdict: 'pass', exitCode: 0 },
  { rules: ['pass', 'fail'], verdict: 'fail', exitCode: 1 },
  { rules: ['pass', 'fail'], waived: true, verdict: 'pass', exitCode: 0 },
  { rules: ['fail'], waived: true, verdict: 'pass', exitCode: 0 },
  { rules: ['fail', 'inconclusive'], waived: true, strict: true, verdict: 'inconclusive', exitCode: 4 },
  { rules: ['fail'], slo: ['fail'], waived: true, verdict: 'fail', exitCode: 1 },
  { rules: ['pass'], slo: ['pass', 'fail'], verdict: 'fail', exitCode: 1 },
  { rules: ['pass', 'inconclusive'], strict: true, verdict: 'inconclusive', exitCode: 4 },
  { rules: ['pass'], slo: ['inconclusive'], strict: true, verdict: 'inconclusive', exitCode: 4 },
  { rules: ['pass', 'skipped'], strict: true, verdict: 'inconclusive', exitCode: 4 },
  { rules: ['pass', 'skipped'], minJudged: 0.5, verdict: 'pass', exitCode: 0 },
  { rules: ['pass', 'skipped'], minJudged: 0.51, verdict: 'inconclusive', exitCode: 4 },
  { rules: ['pass', 'inconclusive'], minJudged: 1, verdict: 'inconclusive', exitCode: 4 },
  { rules: ['pass', 'pass'], minJudged: 1, verdict: 'pass', exitCode: 0 },
  { rules: ['fail', 'skipped'], minJudged: 1, verdict: 'fail', exitCode: 1 },
  { slo: ['pass'], minJudged: 1, verdict: 'pass', exitCode: 0 },
  { rules: ['pass'], sloSkipped: 'not allowed', verdict: 'pass', exitCode: 0 },
  { rules: ['pass'], sloSkipped: 'not allowed', strict: true, verdict: 'inconclusive', exitCode: 4 },
  { rules: ['inconclusive', 'fail'], strict: true, verdict: 'fail', exitCode: 1 },
  { rules: ['inconclusive'], verdict: 'inconclusive', exitCode: 3 },
  { rules: ['inconclusive'], strict: true, verdict: 'inconclusive', exitCode: 3 },
  { rules: ['inconclusive'], slo: ['pass'], verdict: 'inconclusive', exitCode: 3 },
  { rules: ['skipped'], verdict: 'inconclusive', exitCode: 3 },
  { verdict: 'inconclusive', exitCode: 3 },
  { slo: ['pass'], verdict: 'pass', exitCode: 0 },
  { slo: ['inconclusive'], verdict: 'inconclusive', exitCode: 3 },
  { rules: ['pass'], k6: 107, verdict: 'inconclusive', exitCode: 3 },
  { rules: ['pass'], k6: null, verdict: 'inconclusive', exitCode: 3 },
  { rules: ['pass'], state: 'failed', verdict: 'inconclusive', exitCode: 3 },
  { rules: ['pass', 'fail'], state: 'failed', k6: 107, verdict: 'fail', exitCode: 1 },
  { rules: ['pass'], state: 'interrupted', k6: 105, verdict: 'interrupted', exitCode: 130 },
  { rules: ['fail'], state: 'interrupted', k6: 105, verdict: 'interrupted', exitCode: 130 },
  { rules: ['pass', 'fail'], state: 'running', verdict: 'interrupted', exitCode: 130 },
])('%j', (row) => {
  expect(judgeRun(buildStanding(row))).toMatchObject({ verdict: row.verdict, exitCode: row.exitCode })
})

function buildStanding(row: Row): Standing {
  const {
    state = 'finished',
    strict = false,
    minJudged = null,
    sloSkipped = null,
    k6 = 0,
    rules = [],
    slo = [],
    waived,
  } = row
  return {
    run: {
      state,
      strict,
      minJudged,
      sloSkipped,
      search: null,
      k6: { exitCode: k6, reason: '', meaning: '' },
    },
    capacity: null,
    rules: rules.map((verdict) => ({
      id: 'a.b',
      verdict,
      expected: '',
      observed: '',
      evidence: [],
      reason: null,
      needs: null,
      waiver: waived && verdict === 'fail' ? { reason: 'known', until: '2026-12-31' } : null,
    })),
    slo: {
      name: 's',
      objectives: slo.map((verdict) => ({
        kind: 'errors',
        routeGroup: '*',
        errorRateMax: 0,
        windowSeconds: null,
        windows: null,
        observedErrorRate: 0,
        samples: 1,
        verdict,
        reason: null,
      })),
    },
  }
}

describe('judge capacity run', () => {
  type Row = {
    state?: Run['state']
    strict?: true
    /** Required rate. */
    require?: number
    /** Fixed stages instead of a search; `held`: one load. */
    stages?: string | 'held'
    found?: Partial<
      Pick<Capacity, 'rate' | 'confirmed' | 'limitedBy' | 'highestPassingRate' | 'lowestFailingRate'>
    >
    outcomes?: TrialOutcome[]
    verdict: string
    exitCode: number
  }

  const FOUND = {
    rate: 400,
    confirmed: true,
    limitedBy: 'slo',
    highestPassingRate: 400,
    lowestFailingRate: 420,
  } as const
  const BROKE = {
    rate: null,
    confirmed: false,
    limitedBy: 'slo',
    highestPassingRate: null,
    lowestFailingRate: 10,
  } as const
  const GENERATOR = {
    rate: null,
    confirmed: false,
    limitedBy: 'generator',
    highestPassingRate: 300,
    lowestFailingRate: null,
  } as const
  const BUDGET = {
    rate: null,
    confirmed: false,
    limitedBy: 'budget',
    highestPassingRate: 300,
    lowestFailingRate: 420,
  } as const
  const RANGE = {
    rate: null,
    confirmed: false,
    limitedBy: 'range',
    highestPassingRate: 300,
    lowestFailingRate: null,
  } as const

  test.each<Row>([
    { found: FOUND, verdict: 'pass', exitCode: 0 },
    { found: FOUND, strict: true, verdict: 'pass', exitCode: 0 },
    { found: { ...FOUND, confirmed: false }, verdict: 'inconclusive', exitCode: 0 },
    { found: { ...FOUND, confirmed: false }, strict: true, verdict: 'inconclusive', exitCode: 4 },
    { found: BROKE, verdict: 'fail', exitCode: 1 },
    { found: BROKE, outcomes: ['inconclusive', 'fail'], verdict: 'inconclusive', exitCode: 0 },
    { found: GENERATOR, verdict: 'inconclusive', exitCode: 0 },
    { found: GENERATOR, strict: true, verdict: 'inconclusive', exitCode: 4 },
    {
      found: { ...GENERATOR, highestPassingRate: null, lowestFailingRate: 50 },
      verdict: 'inconclusive',
      exitCode: 0,
    },
    { found: BUDGET, verdict: 'inconclusive', exitCode: 0 },
    { found: BUDGET, strict: true, verdict: 'inconclusive', exitCode: 4 },
    { found: RANGE, verdict: 'pass', exitCode: 0 },
    { found: RANGE, strict: true, verdict: 'pass', exitCode: 0 },
    { found: FOUND, state: 'interrupted', verdict: 'interrupted', exitCode: 130 },
    { found: BROKE, state: 'running', verdict: 'interrupted', exitCode: 130 },
    { found: BUDGET, state: 'failed', verdict: 'inconclusive', exitCode: 3 },
    { found: BROKE, state: 'failed', verdict: 'fail', exitCode: 1 },
    { found: BUDGET, outcomes: ['inconclusive'], verdict: 'inconclusive', exitCode: 3 },
    { found: BUDGET, outcomes: [], verdict: 'inconclusive', exitCode: 3 },
    { found: FOUND, require: 400, verdict: 'pass', exitCode: 0 },
    { found: FOUND, require: 401, verdict: 'fail', exitCode: 1 },
    { found: BUDGET, require: 420, verdict: 'fail', exitCode: 1 },
    { found: BUDGET, require: 400, verdict: 'inconclusive', exitCode: 4 },
    { found: BUDGET, require: 300, verdict: 'inconclusive', exitCode: 0 },
    { found: GENERATOR, require: 400, verdict: 'inconclusive', exitCode: 4 },
    { found: RANGE, require: 300, verdict: 'pass', exitCode: 0 },
    { stages: 'ramp', outcomes: ['pass', 'pass'], verdict: 'pass', exitCode: 0 },
    { stages: 'ramp', outcomes: ['pass', 'fail'], verdict: 'fail', exitCode: 1 },
    { stages: 'ramp', outcomes: ['pass', 'generator-limited'], verdict: 'inconclusive', exitCode: 0 },
    { stages: 'held', outcomes: ['pass'], verdict: 'pass', exitCode: 0 },
    { stages: 'held', outcomes: ['fail'], verdict: 'fail', exitCode: 1 },
    { stages: 'held', outcomes: ['generator-limited'], strict: true, verdict: 'inconclusive', exitCode: 4 },
    { stages: 'held', outcomes: ['inconclusive'], verdict: 'inconclusive', exitCode: 3 },
  ])('%j', ({ verdict, exitCode, ...row }) => {
    expect(judgeCapacityRun(buildSearchStanding(row))).toMatchObject({ verdict, exitCode })
  })

  test.each([
    { stages: 'held', verdict: 'inconclusive', exitCode: 0 },
    { stages: 'held', strict: true, verdict: 'inconclusive', exitCode: 4 },
    { verdict: 'inconclusive', exitCode: 3 },
  ] as const)('of a trial with some objectives judged: %j', ({ verdict, exitCode, ...row }) => {
    const { run, capacity } = buildSearchStanding({ outcomes: ['inconclusive'], ...row })
    const trials = capacity.trials.map((trial) => ({ ...trial, partlyJudged: true as const }))
    expect(judgeCapacityRun({ run, capacity: { ...capacity, trials } })).toMatchObject({ verdict, exitCode })
  })

  test.each<Omit<Row, 'verdict' | 'exitCode'> & { reason: string }>([
    { found: BUDGET, reason: 'no confirmed capacity was found' },
    { found: FOUND, require: 401, reason: 'the required rate was not reached' },
    {
      stages: 'held',
      outcomes: ['generator-limited'],
      reason: 'it was not shown that the target serves the load',
    },
    {
      stages: 'held',
      outcomes: ['generator-limited'],
      strict: true,
      reason: 'it was not shown that the target serves the load, and --strict requires certainty',
    },
  ])('says why: $reason', ({ reason, ...row }) => {
    expect(judgeCapacityRun(buildSearchStanding(row)).reason).toBe(reason)
  })

  test('a rule that fails under load fails the run, unless it is waived', () => {
    const { rules } = buildStanding({ rules: ['pass', 'fail'], verdict: '', exitCode: 1 })
    const waived = buildStanding({ rules: ['fail'], waived: true, verdict: '', exitCode: 0 }).rules
    const standing = buildSearchStanding({ stages: 'held' })
    expect(judgeCapacityRun({ ...standing, rules })).toEqual({
      verdict: 'fail',
      exitCode: 1,
      reason: 'a rule failed under load',
    })
    expect(judgeCapacityRun({ ...standing, rules: waived })).toMatchObject({ verdict: 'pass', exitCode: 0 })
  })

  test.each([
    { rules: ['pass', 'inconclusive'], strict: true, verdict: 'inconclusive', exitCode: 4 },
    { rules: ['pass', 'inconclusive'], verdict: 'pass', exitCode: 0 },
    { rules: ['pass', 'skipped'], strict: true, verdict: 'pass', exitCode: 0 },
    { rules: ['fail', 'inconclusive'], strict: true, verdict: 'fail', exitCode: 1 },
  ] as const)('rules under load: %j', ({ verdict, exitCode, rules: verdicts, ...row }) => {
    const { rules } = buildStanding({ rules: [...verdicts], verdict, exitCode })
    for (const standing of [
      buildSearchStanding({ stages: 'held', ...row }),
      buildSearchStanding({ found: FOUND, ...row }),
    ])
      expect(judgeCapacityRun({ ...standing, rules })).toMatchObject({ verdict, exitCode })
  })

  function buildSearchStanding(row: Omit<Row, 'verdict' | 'exitCode'>) {
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
    const outcomes = row.outcomes ?? ['pass']
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
})

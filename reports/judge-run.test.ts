import { expect, test } from 'vitest'
import type { Verdict } from '../contract/finding.ts'
import type { Run } from '../contract/run.ts'
import { judgeRun, type Standing } from './judge-run.ts'

type Row = {
  state?: Run['state']
  strict?: true
  minJudged?: number
  sloSkipped?: string
  /** Whether the failures of rules are. */
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
  expect(judgeRun(standingOf(row))).toMatchObject({ verdict: row.verdict, exitCode: row.exitCode })
})

function standingOf(row: Row): Standing {
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

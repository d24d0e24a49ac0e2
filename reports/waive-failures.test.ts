import { expect, test } from 'vitest'
import type { RuleResult } from '../contract/report.ts'
import { waiveFailures } from './waive-failures.ts'

const result = (id: string, verdict: RuleResult['verdict']): RuleResult => ({
  id,
  verdict,
  expected: '',
  observed: '',
  evidence: [],
  reason: null,
  needs: null,
  waiver: null,
})
const RULES = [result('ws.a.b', 'fail'), result('ws.a.c', 'pass'), result('auth.a.b', 'fail')]
const RUN = { startedAt: '2026-11-30T23:59:59Z' }
const waiver = (rule: string, until = '2026-11-30') => ({ rule, reason: 'known', until })

test('only the failures of a waived rule are waived', () => {
  const { rules, notes } = waiveFailures(RULES, { ...RUN, waivers: [waiver('ws.*')] })
  expect(rules.map(({ waiver }) => waiver)).toEqual([{ reason: 'known', until: '2026-11-30' }, null, null])
  expect(notes).toEqual([])
})

test('a waiver that has ended is none, and is told', () => {
  const { rules, notes } = waiveFailures(RULES, { ...RUN, waivers: [waiver('ws.a.b', '2026-11-29')] })
  expect(rules).toEqual(RULES)
  expect(notes).toEqual(['The waiver of ws.a.b ended on 2026-11-29 and counts no more: known.'])
})

test('a waiver that is not needed is told', () => {
  const { notes } = waiveFailures(RULES, { ...RUN, waivers: [waiver('ws.a.c'), waiver('paging.*')] })
  expect(notes).toEqual([
    'The waiver of ws.a.c until 2026-11-30 is not needed any more: nothing of it failed.',
  ])
})

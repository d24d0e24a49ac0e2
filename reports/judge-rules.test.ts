import { expect, test } from 'vitest'
import type { Finding, Verdict } from '../contract/finding.ts'
import type { Rule } from '../contract/rule.ts'
import { judgeRules, NO_FINDING } from './judge-rules.ts'

const CATALOGUE: readonly Rule[] = ['paging.limit.rejects-101', 'route.hops.at-most-3'].map((id) => ({
  id,
  group: id.split('.')[0] ?? '',
  section: 'Limits',
  statement: `statement of ${id}`,
  expected: `expected of ${id}`,
  kind: 'server',
  how: '',
  takes: 'moments',
}))

test.each<{ verdicts: Verdict[]; verdict: Verdict }>([
  { verdicts: ['pass'], verdict: 'pass' },
  { verdicts: ['skipped', 'pass'], verdict: 'pass' },
  { verdicts: ['skipped'], verdict: 'skipped' },
  { verdicts: ['pass', 'inconclusive', 'pass'], verdict: 'inconclusive' },
  { verdicts: ['pass', 'inconclusive', 'fail', 'pass'], verdict: 'fail' },
])('findings $verdicts make $verdict, told by the finding that decided', ({ verdicts, verdict }) => {
  const findings = verdicts.map((each, index) => finding('route.hops.at-most-3', each, `seen ${index}`))
  const [rule] = judge(['route.hops.at-most-3'], findings).rules
  expect(rule).toEqual({
    id: 'route.hops.at-most-3',
    verdict,
    expected: 'at most 3',
    observed: `seen ${verdicts.indexOf(verdict)}`,
    evidence: ['> GET /route'],
    reason: null,
    needs: null,
    waiver: null,
  })
})

test('a selected rule without a finding is inconclusive, in the order of the run', () => {
  const { rules } = judge(['route.hops.at-most-3', 'paging.limit.rejects-101'], [])
  expect(rules.map(({ id, verdict, expected, reason }) => [id, verdict, expected, reason])).toEqual([
    ['route.hops.at-most-3', 'inconclusive', 'expected of route.hops.at-most-3', NO_FINDING],
    ['paging.limit.rejects-101', 'inconclusive', 'expected of paging.limit.rejects-101', NO_FINDING],
  ])
})

test('findings on rules that the catalogue does not have decide nothing, but are listed', () => {
  const judged = judge(
    ['route.hops.at-most-3'],
    [finding('route.hops.at-most-3', 'pass', ''), finding('route.hops.invented', 'fail', '')],
  )
  expect(judged.unknownRules).toEqual(['route.hops.invented'])
  expect(judged.rules.map(({ verdict }) => verdict)).toEqual(['pass'])
})

test('a failure of a rule that was not selected is said', () => {
  const judged = judge(['route.hops.at-most-3'], [finding('paging.limit.rejects-101', 'fail', '')])
  expect(judged.notes).toEqual(['Not selected, so not counted, but seen to fail: paging.limit.rejects-101.'])
})

function judge(selected: readonly string[], findings: readonly Finding[]) {
  return judgeRules({ selected, findings, catalogue: CATALOGUE })
}

function finding(rule: string, verdict: Verdict, observed: string): Finding {
  return {
    finding: 1,
    rule,
    verdict,
    expected: 'at most 3',
    observed,
    evidence: ['> GET /route'],
    scenario: 's',
    at: 0,
  }
}

import { expect, test } from 'vitest'
import type { Finding, Verdict } from '../contract/finding.ts'
import type { RuleResult } from '../contract/report.ts'
import type { Rule } from '../contract/rule.ts'
import { judgeLimits, judgeRules, NO_FINDING, ruleCommand } from './judge-rules.ts'

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
])('findings $verdicts make $verdict, with the text of the deciding finding', ({ verdicts, verdict }) => {
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

test('lists and ignores findings for unknown rules', () => {
  const judged = judge(
    ['route.hops.at-most-3'],
    [finding('route.hops.at-most-3', 'pass', ''), finding('route.hops.invented', 'fail', '')],
  )
  expect(judged.unknownRules).toEqual(['route.hops.invented'])
  expect(judged.rules.map(({ verdict }) => verdict)).toEqual(['pass'])
})

test('reports a failure of an unselected rule', () => {
  const judged = judge(['route.hops.at-most-3'], [finding('paging.limit.rejects-101', 'fail', '')])
  expect(judged.notes).toEqual(['Failed but not selected, so not counted: paging.limit.rejects-101.'])
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

const RUN = { command: 'breakwater smoke --seed 9' }

function result(id: string, verdict: Verdict, observed = '', reason: string | null = null): RuleResult {
  return { id, verdict, expected: '', observed, evidence: [], reason, needs: null, waiver: null }
}

function judgeRow(id: string, rules: readonly RuleResult[]) {
  return judgeLimits(rules, RUN).find((row) => row.id === id)
}

test('the weakest rule decides a limit', () => {
  const row = judgeRow('wsRoomsPerConnection', [
    result('ws.rooms.32-deliver', 'pass', 'all of 32 rooms deliver'),
    result('ws.rooms.at-most-32', 'fail', '33 of 33 rooms deliver'),
  ])
  expect(row).toEqual({
    id: 'wsRoomsPerConnection',
    name: 'rooms',
    appliesTo: 'a socket',
    specified: '32 rooms',
    verdict: 'fail',
    observed: '33 of 33 rooms deliver',
    reason: null,
    rules: ['ws.rooms.32-deliver', 'ws.rooms.at-most-32'],
    command: 'breakwater smoke --seed 9 --rules ws.rooms.32-deliver,ws.rooms.at-most-32 --no-load',
  })
})

test('shows each distinct observation of rules with the same verdict', () => {
  const row = judgeRow('pageSizeMax', [
    result('paging.limit.accepts-100', 'pass', '200 with 26 rows'),
    result('paging.limit.rejects-101', 'pass', '400'),
    result('paging.swaps.at-most-100', 'pass', '400'),
  ])
  expect(row).toMatchObject({ verdict: 'pass', observed: '200 with 26 rows; 400', reason: null })
})

test('an inconclusive rule leaves the limit inconclusive, with its reason', () => {
  const row = judgeRow('faucetSeconds', [
    result('faucet.claim.accepted', 'pass', '200'),
    result('faucet.claim.once', 'inconclusive', '', 'no address'),
  ])
  expect(row).toMatchObject({ verdict: 'inconclusive', observed: '', reason: 'no address' })
})

test('a limit that was not selected is skipped, and has a command', () => {
  const row = judgeRow('routeHopsMax', [result('ws.rooms.32-deliver', 'pass')])
  expect(row).toMatchObject({
    verdict: 'skipped',
    reason: 'not selected for this run',
    rules: [],
    command: 'breakwater smoke --seed 9 --rules route.hops.at-most-3 --no-load',
  })
})

test('a run without rules of limits has no rows', () => {
  expect(judgeLimits([result('wire.json.content-type', 'pass')], RUN)).toEqual([])
  expect(judgeLimits([], RUN)).toEqual([])
})

const ROOMS = ['ws.rooms.32-deliver', 'ws.rooms.at-most-32']
const SESSION = ['auth.session.lives-15-min']
const alone = 'breakwater smoke --rules ws.rooms.32-deliver,ws.rooms.at-most-32 --no-load'

test.each([
  ['breakwater smoke', alone],
  ['breakwater smoke --mix market --slo strict --output here --strict --json', alone],
  [
    "breakwater smoke --rules 'paging.*' --seed 9 --choices alternative --mutant ws-33-rooms",
    'breakwater smoke --seed 9 --choices alternative --mutant ws-33-rooms --rules ws.rooms.32-deliver,ws.rooms.at-most-32 --no-load',
  ],
  [
    "breakwater smoke --target='my '\\''own'\\'' target.json' --no-load",
    "breakwater smoke --target='my '\\''own'\\'' target.json' --rules ws.rooms.32-deliver,ws.rooms.at-most-32 --no-load",
  ],
  [
    "breakwater smoke --target 'a b.json' --confirm a.test",
    "breakwater smoke --target 'a b.json' --confirm a.test --rules ws.rooms.32-deliver,ws.rooms.at-most-32 --no-load",
  ],
  ['', alone],
  ['breakwater smoke --seed', alone],
])('of %s keeps what was judged, and nothing else', (command, expected) => {
  expect(ruleCommand(command, ROOMS)).toBe(expected)
})

test('adds --include-slow for slow rules if the clock cannot be moved', () => {
  expect(ruleCommand('breakwater smoke --target x.json', SESSION)).toBe(
    'breakwater smoke --target x.json --rules auth.session.lives-15-min --no-load --include-slow',
  )
  expect(ruleCommand('breakwater smoke', SESSION)).not.toContain('--include-slow')
})

test('an unclosed quote of a damaged run ends the words before it', () => {
  expect(ruleCommand("breakwater smoke --seed 3 --target 'never closed", ROOMS)).toBe(
    'breakwater smoke --seed 3 --target never --rules ws.rooms.32-deliver,ws.rooms.at-most-32 --no-load',
  )
})

import { expect, test } from 'vitest'
import type { Verdict } from '../../contract/finding.ts'
import type { RuleResult } from '../../contract/report.ts'
import { judgeLimits, ruleCommand } from './judge-limits.ts'

const RUN = { command: 'breakwater smoke --seed 9' }

function result(id: string, verdict: Verdict, observed = '', reason: string | null = null): RuleResult {
  return { id, verdict, expected: '', observed, evidence: [], reason, needs: null, waiver: null }
}

function rowOf(id: string, rules: readonly RuleResult[]) {
  return judgeLimits(rules, RUN).find((row) => row.id === id)
}

test('a limit is what the weakest of its rules says', () => {
  const row = rowOf('wsRoomsPerConnection', [
    result('ws.rooms.32-deliver', 'pass', 'all of 32 rooms deliver'),
    result('ws.rooms.at-most-32', 'fail', '33 of 33 rooms deliver'),
  ])
  expect(row).toEqual({
    id: 'wsRoomsPerConnection',
    name: 'rooms',
    appliesTo: 'a socket',
    promised: '32 rooms',
    verdict: 'fail',
    observed: '33 of 33 rooms deliver',
    reason: null,
    rules: ['ws.rooms.32-deliver', 'ws.rooms.at-most-32'],
    command: 'breakwater smoke --seed 9 --rules ws.rooms.32-deliver,ws.rooms.at-most-32 --no-load',
  })
})

test('where all of its rules say the same, what each observed is told, once', () => {
  const row = rowOf('pageSizeMax', [
    result('paging.limit.accepts-100', 'pass', '200 with 26 rows'),
    result('paging.limit.rejects-101', 'pass', '400'),
    result('paging.swaps.at-most-100', 'pass', '400'),
  ])
  expect(row).toMatchObject({ verdict: 'pass', observed: '200 with 26 rows; 400', reason: null })
})

test('a rule that stayed open leaves the limit open, and says why', () => {
  const row = rowOf('faucetSeconds', [
    result('faucet.claim.accepted', 'pass', '200'),
    result('faucet.claim.once', 'inconclusive', '', 'no address'),
  ])
  expect(row).toMatchObject({ verdict: 'inconclusive', observed: '', reason: 'no address' })
})

test('what the run was not asked for is no verdict, and can be had by its command', () => {
  const row = rowOf('routeHopsMax', [result('ws.rooms.32-deliver', 'pass')])
  expect(row).toMatchObject({
    verdict: 'skipped',
    reason: 'the run was not asked to judge it',
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
  ['breakwater smoke --mix market --slo strict --out here --strict --json', alone],
  [
    "breakwater smoke --rules 'paging.*' --seed 9 --choices odd --mutant ws-33-rooms",
    'breakwater smoke --seed 9 --choices odd --mutant ws-33-rooms --rules ws.rooms.32-deliver,ws.rooms.at-most-32 --no-load',
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

test('what takes a quarter of an hour asks for it, where the clock cannot be moved', () => {
  expect(ruleCommand('breakwater smoke --target x.json', SESSION)).toBe(
    'breakwater smoke --target x.json --rules auth.session.lives-15-min --no-load --include-slow',
  )
  expect(ruleCommand('breakwater smoke', SESSION)).not.toContain('--include-slow')
})

test('an open quote, as of a damaged run, ends the words before it', () => {
  expect(ruleCommand("breakwater smoke --seed 3 --target 'never closed", ROOMS)).toBe(
    'breakwater smoke --seed 3 --target never --rules ws.rooms.32-deliver,ws.rooms.at-most-32 --no-load',
  )
})

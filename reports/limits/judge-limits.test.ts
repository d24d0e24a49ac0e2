import { expect, test } from 'vitest'
import type { Verdict } from '../../contract/finding.ts'
import type { RuleResult } from '../../contract/report.ts'
import { judgeLimits } from './judge-limits.ts'

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

import { expect, test, vi } from 'vitest'
import { profileSchema } from '../../contract/profile.ts'
import type { Target } from '../../contract/scenario-config.ts'
import { judgeProbe } from '../lib/verdict/judge.ts'
import { searchByKey } from './explore-search.ts'

const KEYS = ['1field', '2field', '3field']

const page = () => {
  const json = { data: KEYS.map((key) => ({ key })), pagination: { total: KEYS.length } }
  return { status: 200, json, evidence: () => '' }
}
// Modules that need k6. Every request returns the whole list.
vi.mock('../lib/requests/request-parsed.ts', () => ({ requestParsed: async () => page() }))
vi.mock('../lib/requests/must-be-served.ts', () => ({ mustBeServed: async () => page() }))
vi.mock('../lib/requests/walk.ts', () => ({ readTotal: () => KEYS.length }))
vi.mock('../lib/requests/confirm.ts', () => ({}))
vi.mock('../lib/market/judge-errors.ts', () => ({}))

test('a search that is ignored fails with what it matched', async () => {
  const profile = profileSchema.parse({
    name: 'test',
    baseUrl: 'http://127.0.0.1:1',
    wsUrl: 'ws://127.0.0.1:1',
  })
  const found: object[] = []
  await judgeProbe({
    rules: searchByKey.rules,
    getExpected: () => '',
    run: (judge) => searchByKey.run({ profile } as Target, judge), // as: only its profile is read
    scenario: 'test',
    nowMs: () => 0,
    emit: (finding) => void found.push(finding),
  })
  expect(found).toMatchObject([
    {
      rule: 'paging.explore.search',
      verdict: 'fail',
      observed: 'a search for the key of a pool matches all 3 pools, as the list without it',
    },
  ])
})

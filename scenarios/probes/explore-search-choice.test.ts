import { expect, test, vi } from 'vitest'
import type { Target } from '../../contract/scenario-config.ts'
import { judgeProbe } from '../lib/verdict/judge.ts'
import { searchByText } from './explore-search.ts'

// Modules that need k6.
vi.mock('../lib/requests/request.ts', () => ({ isError: () => false }))
vi.mock('../lib/time/pause.ts', () => ({ pause: async () => undefined }))
vi.mock('../lib/requests/request-parsed.ts', () => ({
  requestParsed: async () => ({ status: 200, json: { data: [{ key: 'k' }] }, evidence: () => '' }),
}))

test('without the address of a token, a search for it needs a choice', async () => {
  const rule = 'paging.explore.search-address'
  const found: object[] = []
  const tokens = { list: 'data', id: 'id', address: null }
  await judgeProbe({
    rules: [rule],
    getExpected: () => '',
    run: (judge) => searchByText.run({ profile: { choices: { tokens } } } as Target, judge), // as: the only part used
    scenario: 'test',
    nowMs: () => 0,
    emit: (finding) => found.push(finding),
  })
  const reason = 'the profile does not state choices.tokens.address, so no token address is known'
  expect(found).toMatchObject([{ rule, verdict: 'skipped', reason, needs: 'choice' }])
})

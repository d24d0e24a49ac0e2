import { expect, test, vi } from 'vitest'
import type { Target } from '../../contract/scenario-config.ts'
import { judgeProbe } from '../lib/verdict/judge.ts'
import { pagingLimits } from './paging-limits.ts'

const exchange = vi.hoisted(() => ({ getStatus: (_limit: string | undefined): number => 200 }))

// Modules that need k6.
vi.mock('../lib/identity/each-credential.ts', () => ({}))
vi.mock('../lib/market/judge-errors.ts', () => ({ judgeErrors: async () => {} }))
vi.mock('../lib/requests/request.ts', () => ({}))
vi.mock('../lib/time/pause.ts', () => ({ pause: async () => undefined }))
vi.mock('../lib/requests/request-parsed.ts', () => ({
  requestParsed: async (_: Target, { query }: { query: { limit?: string } }) => ({
    status: exchange.getStatus(query.limit),
    json: { data: [], pagination: { total: 0 } },
    evidence: () => '',
  }),
}))

test.each([
  [400, 'pass limit=0: all rejected with 400'],
  [200, 'fail limit=0: 2 responses were not 400'],
])('describes the responses to an invalid limit: %d', async (status, expected) => {
  exchange.getStatus = (limit) => (limit === '0' ? status : 200)
  const found: string[] = []
  const explorePools = { rejects: [] }
  await judgeProbe({
    rules: ['paging.limit.rejects-0'],
    getExpected: () => '',
    run: (judge) => pagingLimits.run({ profile: { choices: { explorePools } } } as unknown as Target, judge), // as: the only part used
    scenario: 'test',
    nowMs: () => 0,
    emit: ({ verdict, observed }) => found.push(`${verdict} ${observed}`),
  })
  expect(found).toEqual([expected])
})

import { expect, test, vi } from 'vitest'
import type { Target } from '../../contract/scenario-config.ts'
import { judgeProbe } from '../lib/verdict/judge.ts'
import { judgeOwnRevocation } from './sessions.ts'

const RULE = 'auth.sessions.revoke'

const stub = vi.hoisted(() => ({ status: 200, isAlive: false, revoked: [] as string[] }))

const reply = { evidence: () => '' }
// Modules that need k6. A session is its name, and its credential too.
vi.mock('../lib/identity/api-token.ts', () => ({}))
vi.mock('../lib/identity/session.ts', () => ({
  getCredential: (name: unknown) => name,
  isAlive: async () => ({ alive: stub.isAlive, reply }),
  requireFullCredential: (name: unknown) => name,
  async revokeSession(_: Target, { id, by }: { id: string; by: string }) {
    stub.revoked.push(`${id} by ${by}`)
    return { ...reply, status: stub.status }
  },
}))
vi.mock('../lib/identity/still-served.ts', () => ({}))
vi.mock('../lib/identity/wallet.ts', () => ({}))
vi.mock('../lib/requests/confirm.ts', () => ({}))
vi.mock('../lib/requests/request.ts', () => ({
  isSuccess: ({ status }: { status: number }) => status === 200,
}))
vi.mock('./reads-served.ts', () => ({}))
vi.mock('./session-checks.ts', () => ({}))

test.each([
  [['id'], 200, false, 'inconclusive', ['id by session']],
  [['id'], 200, true, 'fail 200; a session that revokes itself stays alive', ['id by session']],
  [['id'], 403, true, 'inconclusive', ['id by session']],
  [['id', 'another'], 200, true, 'inconclusive', []],
  [[], 200, true, 'inconclusive', []],
])('ids %j, revoked with %i, then alive: %s: %s', async (ids, status, isAlive, expected, revoked) => {
  Object.assign(stub, { status, isAlive, revoked: [] })
  let found = ''
  await judgeProbe({
    rules: [RULE],
    getExpected: () => '',
    run: (judge) => judgeOwnRevocation({} as Target, judge, { ids, session: 'session' as never }), // as: unused by the mocks
    scenario: 'test',
    nowMs: () => 0,
    emit: ({ verdict, observed }) => {
      found = `${verdict} ${observed}`.trim()
    },
  })
  expect(found).toBe(expected)
  expect(stub.revoked).toEqual(revoked)
})

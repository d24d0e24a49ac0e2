import { expect, test, vi } from 'vitest'
import type { Target } from '../../contract/scenario-config.ts'
import { judgeProbe } from '../lib/verdict/judge.ts'
import { judgeNotEnded, judgeToken } from './session-checks.ts'

const RULE = 'auth.sessions.list'

const stub = vi.hoisted(() => ({
  outcome: 'served',
  isShared: false,
  pairs: [] as string[],
  revokedBy: [] as string[],
}))

// Modules that need k6. A session is its name, and its credential too.
vi.mock('../lib/identity/api-token.ts', () => ({
  async revokeApiToken(_: Target, { credential }: { credential: string }) {
    stub.revokedBy.push(credential)
    if (credential === 'ended' && stub.outcome === 'ends') stub.outcome = 'refused'
    return { status: 401, evidence: () => '' }
  },
}))
vi.mock('../lib/identity/session.ts', () => ({ getCredential: (name: unknown) => name }))
vi.mock('../lib/identity/shared-wallets.ts', () => ({ sharesWallets: () => stub.isShared }))
vi.mock('../lib/requests/request.ts', () => ({}))
vi.mock('../lib/time/pause.ts', () => ({ pause: async () => {} }))
vi.mock('../lib/identity/still-served.ts', () => ({
  async isStillServed(_: Target, name: string, { witness }: { witness: string }) {
    stub.pairs.push(`${name} with ${witness}`)
    const outcome = stub.outcome === 'ends' ? 'served' : stub.outcome
    return { outcome, reply: { evidence: () => '' }, explanation: 'seen' }
  },
}))

async function verdict(): Promise<string> {
  const sessions = { earlier: 'earlier', other: 'other' } as never // as: sessions are names
  let found = ''
  await judgeProbe({
    rules: [RULE],
    getExpected: () => '',
    run: (judge) =>
      judgeNotEnded({} as Target, judge, Object.assign({ rule: RULE, after: 'a sign-in' }, sessions)), // as: unused by the mocks
    scenario: 'test',
    nowMs: () => 0,
    emit: ({ verdict, observed }) => {
      found = `${verdict} ${observed}`.trim()
    },
  })
  return found
}

test.each([
  ['served', false, 'inconclusive', ['earlier with other']],
  ['unclear', false, 'inconclusive', ['earlier with other']],
  ['refused', false, 'fail a sign-in of the wallet ends another session: seen', ['earlier with other']],
  ['refused', true, 'inconclusive', []],
])('an earlier session that is %s (shared wallets: %s): %s', async (outcome, isShared, expected, pairs) => {
  Object.assign(stub, { outcome, isShared, pairs: [] })
  expect(await verdict()).toBe(expected)
  expect(stub.pairs).toEqual(pairs)
})

const ENDS = 'fail a session that has ended revokes an API token: 401; seen'

test.each([
  ['served', 'inconclusive', ['ended', 'owner']],
  ['ends', ENDS, ['ended', 'owner']],
  ['refused', 'fail an API token of the wallet ends too: seen', ['owner']],
])('a token of a session that has ended is %s: %s', async (outcome, expected, revokedBy) => {
  Object.assign(stub, { outcome, pairs: [], revokedBy: [] })
  const token = { id: 'id', bearer: 'token' }
  const kept = { rule: RULE, token, owner: 'owner', ended: 'ended' } as never // as: sessions are names
  let found = ''
  await judgeProbe({
    rules: [RULE],
    getExpected: () => '',
    run: (judge) => judgeToken({} as Target, judge, kept), // as: unused by the mocks
    scenario: 'test',
    nowMs: () => 0,
    emit: ({ verdict, observed }) => {
      found = `${verdict} ${observed}`.trim()
    },
  })
  expect(found).toBe(expected)
  expect(stub.revokedBy).toEqual(revokedBy)
})

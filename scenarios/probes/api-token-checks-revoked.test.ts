import { beforeEach, expect, test, vi } from 'vitest'
import type { Target } from '../../contract/scenario-config.ts'
import { judgeProbe } from '../lib/verdict/judge.ts'
import { judgeRevokedByAnother } from './api-token-checks.ts'

const RULE = 'api-token.revoke.ends'

const stub = vi.hoisted(() => ({
  another: [] as number[],
  ends: 'both' as 'both' | 'maker' | 'neither',
  listStatus: 200,
  isAlive: true,
  revokedBy: [] as string[],
}))

const replyOf = (status: number) => ({ status, evidence: () => '' })
// Modules that need k6. A session is its name, and its credential too.
vi.mock('../lib/identity/api-token.ts', () => ({
  listApiTokens: async () => replyOf(stub.listStatus),
  async revokeApiToken(_: Target, { credential }: { credential: string }) {
    stub.revokedBy.push(credential)
    const [first = 200, ...later] = stub.another
    if (credential === 'another' && later.length > 0) stub.another = later
    const status = credential === 'another' ? first : 200
    if (status === 200 && (stub.ends === 'both' || stub.ends === credential)) stub.isAlive = false
    return replyOf(status)
  },
}))
vi.mock('../lib/identity/session.ts', () => ({
  isAlive: async () => ({ alive: stub.isAlive, reply: replyOf(200) }),
  requireFullCredential: (name: unknown) => name,
  withSession: (_: Target, __: object, use: (name: string) => Promise<void>) => use('another'),
}))
vi.mock('../lib/requests/request.ts', () => ({
  isSuccess: ({ status }: { status: number }) => status === 200,
}))
vi.mock('../lib/identity/still-served.ts', () => ({}))
vi.mock('../lib/identity/wallet.ts', () => ({}))
vi.mock('../lib/probe/watch-errors.ts', () => ({}))
vi.mock('./csrf.ts', () => ({}))
vi.mock('./token-list.ts', () => ({ judgeListedToAnother: async () => {} }))
vi.mock('../lib/time/pause.ts', () => ({ pause: async (ms: number) => void ms }))

beforeEach(() =>
  Object.assign(stub, { another: [], ends: 'both', listStatus: 200, isAlive: true, revokedBy: [] }),
)

async function verdict(): Promise<string> {
  const maker = 'maker' as unknown as Parameters<typeof judgeRevokedByAnother>[2]['maker'] // as: a name
  const token = { id: 'id', bearer: { bearer: 'ss_1' }, reply: replyOf(200) as never }
  let found = ''
  await judgeProbe({
    rules: [RULE],
    getExpected: () => '',
    run: (judge) => judgeRevokedByAnother({} as Target, judge, { token, maker }), // as: unused by the mocks
    scenario: 'test',
    nowMs: () => 0,
    emit: ({ verdict, observed }) => {
      found = `${verdict} ${observed}`.trim()
    },
  })
  return found
}

const REJECTED = ['another', 'another', 'another', 'another']

test('a token that another session revokes is not revoked again', async () => {
  expect(await verdict()).toBe('inconclusive')
  expect(stub.revokedBy).toEqual(['another'])
})

test('a revocation by another session that does nothing is reported', async () => {
  stub.ends = 'maker'
  expect(await verdict()).toBe(
    'fail another session of the wallet revoked a token: 200, but the next read with it returned 200',
  )
  expect(stub.revokedBy).toEqual(['another', 'maker'])
})

test.each([403, 404])('a persistent %i is reported if the maker revokes the token', async (status) => {
  stub.another = [status]
  expect(await verdict()).toContain(
    `fail another session of the wallet cannot revoke a token: ${status} in each of 4 attempts`,
  )
  expect(stub.revokedBy).toEqual([...REJECTED, 'maker'])
})

test.each<[what: string, state: object, last: string]>([
  ['a transient rejection', { another: [403, 200] }, 'another'],
  ['an error', { another: [500] }, 'maker'],
  ['a session that cannot list tokens', { another: [403], listStatus: 403 }, 'maker'],
  ['a token that its maker cannot revoke', { another: [403], ends: 'neither' }, 'maker'],
])('%s is not reported', async (_, state, last) => {
  Object.assign(stub, state)
  expect(await verdict()).toBe('inconclusive')
  expect(stub.revokedBy.at(-1)).toBe(last)
})

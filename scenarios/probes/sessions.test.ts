import { expect, test, vi } from 'vitest'
import type { Target } from '../../contract/scenario-config.ts'
import { judgeProbe } from '../lib/verdict/judge.ts'
import { judgeOwnRevocation, judgeSecondSignIn, revokeCurrent } from './sessions.ts'

const RULE = 'auth.sessions.revoke'

const stub = vi.hoisted(() => ({
  status: 200,
  isAlive: false,
  revoked: [] as string[],
  signIns: [] as number[],
  shares: false,
  isBack: false,
  /** Ids of each list in turn; the last one stays. Only the last id of the last list can be revoked. */
  lists: [] as string[][],
}))

const reply = { evidence: () => '' }
// Modules that need k6. A session is its name, and its credential too.
vi.mock('../lib/identity/api-token.ts', () => ({}))
vi.mock('../lib/identity/session.ts', () => ({
  endSession: async (_: Target, name: string) => void stub.revoked.push(name),
  getCredential: (name: unknown) => name,
  isAlive: async () => ({ alive: stub.isAlive, reply }),
  requireFullCredential: (name: unknown) => name,
  startSession: () => 'new',
  verifyPatiently: async () => ({ ...reply, status: stub.signIns.shift() ?? 0 }),
}))
vi.mock('../lib/identity/session-list.ts', () => ({
  listSessions: async () => ({ ids: stub.lists.length > 1 ? stub.lists.shift() : stub.lists[0] }),
  async revokeSession(_: Target, { id, by }: { id: string; by: string }) {
    stub.revoked.push(`${id} by ${by}`)
    const isKnown = stub.lists.length === 0 || stub.lists.at(-1)?.at(-1) === id
    return { ...reply, status: isKnown ? stub.status : 404 }
  },
}))
vi.mock('../lib/identity/wallet.ts', () => ({}))
vi.mock('../lib/identity/shared-wallets.ts', () => ({ sharesWallets: () => stub.shares }))
vi.mock('../lib/time/pause.ts', () => ({ pause: async () => {} }))
vi.mock('../lib/requests/request.ts', () => ({
  isError: () => false,
  isSuccess: ({ status }: { status: number }) => status === 200,
}))
vi.mock('./after-session-ends.ts', () => ({}))
vi.mock('./reads-served.ts', () => ({}))
vi.mock('./session-checks.ts', () => ({
  tryRevival: async () => ({ refreshed: { ...reply, status: 200 }, back: stub.isBack }),
}))

test.each([
  [['id'], 200, false, 'inconclusive', ['id by session']],
  [['id'], 200, 'back', 'fail a session that revoked itself is back after a refresh: 200', ['id by session']],
  [['id'], 200, true, 'fail 200; a session that revokes itself stays alive', ['id by session']],
  [['id'], 403, true, 'inconclusive', ['id by session']],
  [['id', 'another'], 200, true, 'inconclusive', []],
  [[], 200, true, 'inconclusive', []],
])('ids %j, revoked with %i, then alive: %s: %s', async (ids, status, isAlive, expected, revoked) => {
  const isBack = isAlive === 'back'
  Object.assign(stub, { status, isAlive: isAlive === true, isBack, revoked: [], lists: [] })
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

const REJECTED = [409, 409, 409, 409]
const CANNOT = 'fail a wallet with a session cannot sign in again until its logout: 409 in each of 4 attempts'

test.each<[signIns: number[], state: object, expected: string, ended: string[]]>([
  [[200], {}, 'inconclusive', ['new']],
  [[...REJECTED, 200], {}, CANNOT, ['first', 'new']],
  [[409, 200], {}, 'inconclusive', ['new']],
  [[...REJECTED, 409], {}, 'inconclusive', ['first']],
  [[...REJECTED, 200], { isAlive: false }, 'inconclusive', []],
  [[...REJECTED, 200], { shares: true }, 'inconclusive', []],
  [[...REJECTED, 200], { ids: ['a', 'b'] }, 'inconclusive', []],
])('sign-ins with a session return %j, with %j', async (signIns, state, expected, ended) => {
  const { ids } = Object.assign(stub, { signIns, isAlive: true, shares: false, ids: ['a'] }, state, {
    revoked: [] as string[],
  })
  let found = ''
  await judgeProbe({
    rules: ['auth.sessions.list'],
    getExpected: () => '',
    run: (judge) => judgeSecondSignIn({} as Target, judge, { first: 'first' as never, ids }), // as: a name
    scenario: 'test',
    nowMs: () => 0,
    emit: ({ verdict, observed }) => {
      found = `${verdict} ${observed}`.trim()
    },
  })
  expect(found.slice(0, expected.length)).toBe(expected)
  expect(stub.revoked).toEqual(ended)
})

test.each<[what: string, lists: string[][], revoked: string[]]>([
  ['its id', [['other', 'id']], ['id by first']],
  ['the id that a refresh gave it', [['other', 'new']], ['new by first']],
  [
    'its current id, once a replica lists that',
    [
      ['other', 'id'],
      ['other', 'new'],
    ],
    ['id by first', 'new by first'],
  ],
  ['the earlier id if several are new', [['a', 'b', 'id']], ['id by first']],
])('revokes %s', async (_, lists, revoked) => {
  Object.assign(stub, { lists: [...lists], status: 200, isAlive: true, revoked: [] })
  const by = 'first' as never // as: a name
  const last = await revokeCurrent({} as Target, { id: 'id', others: ['other'], by })
  expect(last.status).toBe(200)
  expect([...new Set(stub.revoked)]).toEqual(revoked)
})

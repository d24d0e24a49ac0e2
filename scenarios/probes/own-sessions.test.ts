import { beforeEach, expect, test, vi } from 'vitest'
import type { Target } from '../../contract/scenario-config.ts'
import { judgeProbe } from '../lib/verdict/judge.ts'
import { sessionsByToken } from './own-sessions.ts'

type Sent = { path: string; credential?: unknown }
type Use = (credential: unknown, made?: object) => Promise<void>

const stub = vi.hoisted(() => ({
  /** Statuses of a logout with an API token, and without a credential. */
  logout: [401, 401],
  /** Credentials that have ended. */
  ended: [] as unknown[],
  isMade: true,
}))

const reply = { evidence: () => '' }
// Modules that need k6. A session is its name, and its credential too.
vi.mock('../lib/identity/api-token.ts', () => ({
  withBearer: (_: Target, __: object, use: Use) =>
    use('token', stub.isMade ? { session: 'session' } : undefined),
}))
vi.mock('../lib/identity/session.ts', () => ({
  getCredential: (name: unknown) => name,
  isAlive: async (_: Target, credential: unknown) => ({ alive: !stub.ended.includes(credential), reply }),
  withSession: (_: Target, __: object, use: (name: string) => Promise<void>) => use('fresh'),
}))
vi.mock('../lib/identity/session-list.ts', () => ({}))
vi.mock('../lib/identity/still-served.ts', () => ({
  async isStillServed(_: Target, credential: unknown, { witness }: { witness: unknown }) {
    const [isEnded, isWitness] = [stub.ended.includes(credential), !stub.ended.includes(witness)]
    const outcome = isEnded ? (isWitness ? 'refused' : 'unclear') : 'served'
    return { outcome, reply, explanation: 'seen' }
  },
}))
vi.mock('../lib/identity/wallet.ts', () => ({}))
vi.mock('../lib/requests/request.ts', () => ({
  isError: () => false,
  isSuccess: ({ status }: { status: number }) => status < 300,
  async request(_: Target, { path, credential }: Sent) {
    const [byToken, byNobody] = stub.logout
    const status = !path.startsWith('/auth/logout') ? 401 : credential === undefined ? byNobody : byToken
    return { ...reply, status }
  },
}))

beforeEach(() => Object.assign(stub, { logout: [401, 401], ended: [], isMade: true }))

const target = { profile: { choices: { sessions: { list: null, id: null } } } } as Target // as: all that is read

test.each<[what: string, state: object, expected: string]>([
  ['rejected', {}, 'pass rejected with 401, 401, 401, 401, 401, 401'],
  ['accepted', { logout: [204, 401] }, 'fail got 401, 204, 204'],
  ['accepted like one without a credential', { logout: [204, 204] }, 'pass rejected with 401, 401'],
  [
    'accepted, and ends the session',
    { logout: [204, 204], ended: ['session'] },
    'fail then the session has ended: seen',
  ],
  [
    'accepted like one without a credential, in a profile with a token',
    { logout: [204, 204], isMade: false },
    'pass rejected with 401, 401',
  ],
])('a logout by an API token is %s', async (_, state, expected) => {
  Object.assign(stub, state)
  let found = ''
  await judgeProbe({
    rules: sessionsByToken.rules,
    getExpected: () => '',
    run: (judge) => sessionsByToken.run(target, judge),
    scenario: 'test',
    nowMs: () => 0,
    emit: ({ verdict, observed }) => {
      found = `${verdict} ${observed}`.trim()
    },
  })
  expect(found).toBe(expected)
})

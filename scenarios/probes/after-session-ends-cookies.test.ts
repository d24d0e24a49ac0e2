import { beforeEach, expect, test, vi } from 'vitest'
import type { Target } from '../../contract/scenario-config.ts'
import type { Reply, RequestSpec } from '../lib/requests/request.ts'
import { judgeEndedCookies } from './after-session-ends.ts'

type Stub = {
  /** Statuses with and without cookies by path, the last for good. Others succeed. */
  withCookies: Record<string, number[]>
  without: Record<string, number>
  /** Paths that delete a cookie. */
  deletes: string[]
  noted: string[]
  ended: number
}

const stub = vi.hoisted(() => ({}) as Stub)

vi.mock('../lib/feed/feed.ts', () => ({}))
vi.mock('../lib/feed/served-feed.ts', () => ({}))
vi.mock('../lib/world/control.ts', () => ({}))
vi.mock('../lib/identity/session.ts', () => ({
  credentialRead: (_: Target, credential: object) => ({ method: 'GET', path: '/swaps', credential }),
  endSession: async () => void stub.ended++,
  getCredential: () => ({ cookie: 'at=A1', csrf: 'c' }),
  refreshSpec: (credential: object) => ({ method: 'POST', path: '/auth/refresh', credential }),
  startSession: () => ({}),
}))
vi.mock('../lib/identity/shared-wallets.ts', () => ({ beginSignIn: async () => () => {} }))
vi.mock('../lib/identity/wallet.ts', () => ({ sign: (_: Target, __: object, text: string) => text }))
vi.mock('../lib/probe/watch-records.ts', () => ({
  noteProblem: (rule: string, problem: string) => void stub.noted.push(`${rule}: ${problem}`),
}))
vi.mock('../lib/requests/request.ts', () => ({
  isSuccess: ({ status }: Reply) => status === 200,
  async request(_: Target, { path, credential }: RequestSpec) {
    const statuses = stub.withCookies[path] ?? [200]
    const [status] = statuses.length > 1 ? statuses.splice(0, 1) : statuses
    return {
      status: credential === undefined ? (stub.without[path] ?? 200) : status,
      json: { data: { message: 'm' } },
      cookies: stub.deletes.includes(path) ? [{ name: 'at', value: '' }] : [],
      evidence: () => '',
    }
  },
}))
vi.mock('../lib/time/pause.ts', () => ({ pause: async (ms: number) => void ms }))

beforeEach(() => Object.assign(stub, { withCookies: {}, without: {}, deletes: [], noted: [], ended: 0 }))

async function listNoted(state: Partial<Stub>): Promise<string[]> {
  Object.assign(stub, state)
  const target = { profile: { choices: { cookies: { access: 'at', refresh: 'rt' } } } } as Target // as: the only part used
  await judgeEndedCookies(target, { wallet: { address: 'w' } } as never) // as: the only part used
  return stub.noted
}

test.each([
  ['/pools', 401, 'access.public.pools: GET /pools'],
  ['/tokens', 403, 'access.public.tokens: GET /tokens'],
  ['/auth/challenge', 401, 'auth.verify.signs-in: a sign-in'],
  ['/auth/verify', 403, 'auth.verify.signs-in: a sign-in'],
])('%s with a persistent %i is reported', async (path, status, seen) => {
  const [noted, ...others] = await listNoted({ withCookies: { [path]: [status] } })
  expect(noted).toContain(`${seen} with the cookies of a session that has ended: ${status} in each of 4`)
  expect(others).toEqual([])
})

test.each<[what: string, state: Partial<Stub>]>([
  ['a sign-in and reads that succeed', {}],
  ['a transient 401', { withCookies: { '/auth/verify': [401, 200] } }],
  ['a 401 without cookies too', { withCookies: { '/pools': [401] }, without: { '/pools': 401 } }],
  ['another rejection', { withCookies: { '/pools': [400] } }],
  ['a 401 that deletes the cookie', { withCookies: { '/pools': [401] }, deletes: ['/pools'] }],
  ['a refresh that deletes the cookie', { withCookies: { '/pools': [401] }, deletes: ['/auth/refresh'] }],
])('%s is not reported', async (_, state) => {
  expect(await listNoted(state)).toEqual([])
})

test('the new session is ended', async () => {
  await listNoted({})
  expect(stub.ended).toBe(1)
})

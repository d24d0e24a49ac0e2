import { beforeEach, expect, test, vi } from 'vitest'
import type { Target } from '../../contract/scenario-config.ts'
import { judgeProbe } from '../lib/verdict/judge.ts'
import { judgeCookieless } from './refresh-cookie.ts'

const RULE = 'auth.refresh.needs-cookie'

const stub = vi.hoisted(() => ({
  /** Statuses of refreshes without the access cookie, in turn; the last one repeats. */
  alone: [200],
  /** Status of a refresh without a valid refresh cookie. */
  invalid: 401,
  /** Status of refreshes of the live session. */
  live: 200,
  started: 0,
  ended: 0,
}))

type Made = { name: string; cookies: Map<string, string> }

const replyOf = (status: number) => ({ status, evidence: () => `-> ${status}` })
// Modules that need k6.
vi.mock('../lib/identity/api-token.ts', () => ({ withApiToken: async () => {} }))
vi.mock('../lib/identity/session.ts', () => {
  const make = (name: string) => ({
    name,
    cookies: new Map([
      ['at', 'A'],
      ['rt', 'R'],
    ]),
  })
  return {
    copySession: ({ name, cookies }: Made) => ({ name: `${name} alone`, cookies: new Map(cookies) }),
    dropCookie: ({ cookies }: Made, name: string) => void cookies.delete(name),
    endSession: async () => void stub.ended++,
    async refresh(_: Target, { name, cookies }: Made) {
      if (name === 'live') return replyOf(stub.live)
      const [status = 0, ...later] = stub.alone
      if (later.length > 0) stub.alone = later
      if (status === 200) cookies.set('at', 'A2')
      return replyOf(status)
    },
    refreshSpec: (credential: object | undefined) => ({ credential }),
    requireFullCredential: () => ({}),
    async signIn() {
      stub.started++
      return make('new')
    },
    startsSession: async () => false,
    withSession: async (_: Target, __: object, use: (session: Made) => Promise<void>) => use(make('other')),
  }
})
vi.mock('../lib/identity/altered-secrets.ts', () => ({ alteredSecrets: () => [] }))
vi.mock('../lib/requests/request.ts', () => ({
  isError: ({ status }: { status: number }) => status === 0 || status >= 500,
  isSuccess: ({ status }: { status: number }) => status === 200,
  request: async () => replyOf(stub.invalid),
}))
vi.mock('../lib/time/pause.ts', () => ({ pause: async () => {} }))
vi.mock('./session-checks.ts', async () => {
  const { confirm } = await import('../lib/requests/confirm.ts')
  const refreshLive = async () => ({ served: stub.live === 200, explanation: `live -> ${stub.live}` })
  return {
    refreshLive,
    async findFalseRace(_: Target, { refresh }: { refresh: () => Promise<{ status: number }> }) {
      const { outcome, last, explanation } = await confirm({
        first: await refresh(),
        describeError: ({ status }) => (status === 409 ? '409' : undefined),
        again: refresh,
        witness: refreshLive,
      })
      return outcome === 'persistent' ? { reply: last, explanation } : undefined
    },
  }
})

beforeEach(() => Object.assign(stub, { alone: [200], invalid: 401, live: 200, started: 0, ended: 0 }))

async function verdict(refresh = 'rt'): Promise<string> {
  const cookies = { access: 'at', refresh }
  const target = { profile: { choices: { cookies } } } as unknown as Target // as: all that is read
  const session = {
    name: 'live',
    cookies: new Map([
      ['at', 'A'],
      ['rt', 'R'],
    ]),
    wallet: {},
  }
  let found = ''
  await judgeProbe({
    rules: [RULE],
    getExpected: () => '',
    run: (judge) => judgeCookieless(target, judge, session as never), // as: all that is read
    scenario: 'test',
    nowMs: () => 0,
    emit: ({ verdict, observed }) => {
      found = `${verdict} ${observed}`.trim()
    },
  })
  expect(stub.ended).toBe(stub.started)
  return found
}

test('the refresh cookie alone refreshes, and others are rejected', async () => {
  expect(await verdict()).toMatch(
    /^pass no cookie: 401; no refresh cookie: 401; a made-up refresh cookie: 401/,
  )
  expect(stub.started).toBe(1)
})

test('a rejection of the refresh cookie alone counts if it persists, with a session each', async () => {
  stub.alone = [401]
  expect(await verdict()).toMatch(/^fail without the access cookie: 401 in each of 4 attempts/)
  expect(stub.started).toBe(4)
})

test.each<[what: string, state: object]>([
  ['a rejection that does not last', { alone: [401, 401, 200] }],
  ['a rejection while no session refreshes', { alone: [401], live: 401 }],
  ['an error', { alone: [500] }],
])('%s is not reported', async (_, state) => {
  Object.assign(stub, state)
  expect(await verdict()).toMatch(/^pass /)
})

test('a 409 without a refresh cookie counts if it persists while a live session refreshes', async () => {
  stub.invalid = 409
  expect(await verdict()).toMatch(/^fail no cookie: 409 in each of 4 attempts/)
  Object.assign(stub, { live: 401 })
  expect(await verdict()).toMatch(/^pass /)
})

test('if no cookie has the name of the profile, none is left out', async () => {
  expect(await verdict('misnamed')).toMatch(/^pass no cookie: 401$/)
})

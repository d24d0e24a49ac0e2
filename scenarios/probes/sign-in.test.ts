import { beforeEach, expect, test, vi } from 'vitest'
import type { Target } from '../../contract/scenario-config.ts'
import { type Judge, judgeProbe } from '../lib/verdict/judge.ts'
import { judgeBeside, judgeCookies, judgeNewest } from './sign-in.ts'

const RULE = 'auth.verify.signs-in'

const stub = vi.hoisted(() => ({
  messages: [] as string[],
  /** Statuses of a sign-in by message, in turn; the last one repeats. */
  statuses: {} as Record<string, number[]>,
  verified: [] as string[],
  started: 0,
  ended: 0,
  /** The wallet of the latest challenge, and how often a challenge of another wallet still replaces one. */
  latest: '',
  replaced: 0,
}))

// Modules that need k6.
vi.mock('../lib/identity/api-token.ts', () => ({}))
vi.mock('../lib/identity/still-served.ts', () => ({}))
vi.mock('../lib/identity/session.ts', () => ({
  challenge: async (_: Target, { address }: { address: string }) => {
    stub.latest = address
    return stub.messages.shift() ?? ''
  },
  endSession: async () => void stub.ended++,
  startSession: () => void stub.started++,
  verifyPatiently: async () => ({ status: 200 }),
  async verify(_: Target, { address }: { address: string }, message: string) {
    stub.verified.push(message)
    if (stub.latest !== address && stub.replaced-- > 0) return { status: 401, evidence: () => '' }
    const [status = 200, ...later] = stub.statuses[message] ?? []
    if (later.length > 0) stub.statuses[message] = later
    return { status, evidence: () => '' }
  },
}))
vi.mock('../lib/identity/wallet.ts', () => ({
  walletFor: ({ wallets }: Target) => wallets.at(-1),
}))
vi.mock('../lib/requests/request.ts', () => ({
  isSuccess: ({ status }: { status: number }) => status === 200,
}))
vi.mock('../lib/time/has-control.ts', () => ({}))
vi.mock('../lib/time/pause.ts', () => ({ pause: async () => {} }))
vi.mock('../lib/world/control.ts', () => ({}))
vi.mock('./reads-served.ts', () => ({}))

beforeEach(() =>
  Object.assign(stub, {
    messages: ['one', 'two'],
    statuses: {},
    verified: [],
    started: 0,
    ended: 0,
    replaced: 0,
  }),
)

async function verdict(check = judgeNewest, target = {}): Promise<string> {
  let found = ''
  await judgeProbe({
    rules: [RULE],
    getExpected: () => '',
    run: (judge) => check(target as Target, judge, { address: 'w' } as never), // as: all that the mocks use
    scenario: 'test',
    nowMs: () => 0,
    emit: ({ verdict, observed }) => {
      found = `${verdict} ${observed}`.trim()
    },
  })
  expect(stub.ended).toBe(stub.started)
  return found
}

test('the later of two challenges is rejected for good, and the earlier one signs in', async () => {
  stub.statuses = { two: [401] }
  expect(await verdict()).toMatch(
    /^fail the newest challenge does not sign in, an earlier one does: 401 in each of 4 attempts/,
  )
  expect(stub.verified).toEqual(['two', 'two', 'two', 'two', 'one'])
  expect(stub.started).toBe(1)
})

test.each<[what: string, state: object, verified: readonly string[]]>([
  ['a later challenge that signs in', {}, ['two']],
  ['one that a replica learns late', { statuses: { two: [401, 200] } }, ['two']],
  ['one that another client replaced', { statuses: { two: [401], one: [401] } }, ['two', 'one']],
  ['the same challenge again', { messages: ['one', 'one'] }, []],
])('%s is not reported', async (_, state, verified) => {
  Object.assign(stub, state)
  expect(await verdict()).toBe('inconclusive')
  expect([...new Set(stub.verified)]).toEqual(verified)
})

const TWO = { wallets: [{ address: 'w' }, { address: 'other' }] }

test('a challenge of another wallet replaces that of the wallet each time', async () => {
  Object.assign(stub, { messages: [], replaced: 100 })
  expect(await verdict(judgeBeside, TWO)).toMatch(
    /^fail a challenge of another wallet prevents the sign-in: 401 in each of 4 attempts/,
  )
})

test.each<[what: string, replaced: number, target: object]>([
  ['a challenge next to that of another wallet', 0, TWO],
  ['one that was replaced once', 1, TWO],
  ['the only wallet', 100, { wallets: [{ address: 'w' }] }],
])('%s is not reported', async (_, replaced, target) => {
  Object.assign(stub, { messages: [], replaced })
  expect(await verdict(judgeBeside, target)).toBe('inconclusive')
})

test.each<[set: Record<string, boolean>, verdict: string]>([
  [{ access: true, refresh: true }, 'pass'],
  [{ access: true, refresh: false }, 'fail'],
  [{ session: true, refresh: true }, 'inconclusive'],
  [{ session: true, refresh: false }, 'fail'],
  [{ refresh: true }, 'fail'],
])('cookies that are HttpOnly: %j', async (set, expected) => {
  const cookies = Object.entries(set).map(([name, httpOnly]) => ({ name, value: 'x', httpOnly }))
  const target = { profile: { choices: { cookies: { access: 'access', refresh: 'refresh' } } } }
  let found = ''
  await judgeProbe({
    rules: ['auth.cookies.http-only'],
    getExpected: () => '',
    run: async (judge: Judge) =>
      judgeCookies(target as unknown as Target, judge, [{ verified: { cookies } }] as never), // as: all that is read
    scenario: 'test',
    nowMs: () => 0,
    emit: ({ verdict }) => {
      found = verdict
    },
  })
  expect(found).toBe(expected)
})

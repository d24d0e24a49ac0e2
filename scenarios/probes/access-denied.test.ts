import { beforeEach, expect, test, vi } from 'vitest'
import type { Target } from '../../contract/scenario-config.ts'
import { judgeProbe } from '../lib/verdict/judge.ts'
import { judgeDenied } from './access-denied.ts'

type Response = readonly [status: number, error?: string]

const stub = vi.hoisted(() => ({
  /** Responses to verify: with a valid signature, and with a wrong one. */
  right: [] as Response[],
  wrong: [401, 'wrong'] as Response,
  signsIn: true,
  cookies: 1,
  /** Served paths, if they are not 403. */
  served: [] as string[],
  refresh: 401,
  isRefreshed: false,
  twins: 0,
}))

const replyOf = ([status, error = 'no']: Response) => ({
  status,
  json: { error },
  evidence: () => String(status),
})
// Modules that need k6.
vi.mock('../lib/identity/api-token.ts', () => ({}))
vi.mock('../lib/identity/credential.ts', () => ({ readCredential: async () => ({}) }))
vi.mock('../lib/identity/wallet.ts', () => ({ walletFor: () => ({}) }))
vi.mock('../lib/identity/session.ts', () => {
  const verifyWallet = async () =>
    replyOf((stub.right.length > 1 ? stub.right.shift() : stub.right[0]) ?? [403])
  return {
    challenge: async () => 'message',
    credentialRead: () => ({ path: '/swaps' }),
    endSession: async () => undefined,
    getCredential: () => ({}),
    async refresh() {
      stub.isRefreshed = stub.refresh === 200
      return replyOf([stub.refresh])
    },
    startSession: () => ({ cookies: { size: stub.cookies } }),
    verify: async () => replyOf(stub.wrong),
    verifyPatiently: verifyWallet,
    verifyWallet,
    async withSession(_: Target, __: object, use: () => Promise<void>) {
      if (stub.signsIn) await use()
    },
  }
})
vi.mock('../lib/probe/watch-errors.ts', () => ({
  errorWatch: {
    checkTwins: () => {
      stub.twins++
    },
  },
}))
vi.mock('../lib/requests/request.ts', () => ({
  isError: ({ status }: { status: number }) => status >= 500,
  isSuccess: ({ status }: { status: number }) => status === 200,
  async request(_: Target, { path }: { path: string }) {
    const name = stub.isRefreshed ? `${path} refreshed` : path
    return replyOf([stub.served.includes(name) ? 200 : 403])
  },
}))
vi.mock('../lib/requests/request-parsed.ts', () => ({ requestParsed: async () => replyOf([200]) }))
vi.mock('../lib/time/pause.ts', () => ({ pause: async (ms: number) => void ms }))
vi.mock('./data-paths.ts', () => ({
  ACCESS_PATHS: [],
  STATED_DATA_PATHS: ['/swaps'],
  portfolioPaths: () => [],
}))

beforeEach(() =>
  Object.assign(stub, {
    ...{ right: [], wrong: [401, 'wrong'], signsIn: true, cookies: 1, served: [] },
    ...{ refresh: 401, isRefreshed: false, twins: 0 },
  }),
)

async function verdict(state: Partial<typeof stub>): Promise<string> {
  Object.assign(stub, state)
  let found = ''
  await judgeProbe({
    rules: ['auth.access.denied-403'],
    getExpected: () => '',
    // as: all that is read
    run: (judge) => judgeDenied({ wallets: [{ hasAccess: false }] } as unknown as Target, judge),
    scenario: 'test',
    nowMs: () => 0,
    emit: ({ verdict, observed }) => {
      found = `${verdict} ${observed}`.trim()
    },
  })
  return found
}

test.each<[what: string, right: Response]>([
  ['another status', [404, 'no wallet']],
  ['another text', [401, 'not invited']],
])('a valid signature that is rejected with %s than a wrong one fails', async (_, right) => {
  expect(await verdict({ right: [right] })).toContain('fail a valid signature at verify: ')
})

test.each<[what: string, state: Partial<typeof stub>]>([
  ['the same response as to a wrong signature', { right: [[401, 'wrong']] }],
  ['different responses', { right: [[404], [400]] }],
  ['a wrong signature that is rate limited', { right: [[404]], wrong: [429] }],
  ['no other wallet that signs in', { right: [[404]], signsIn: false }],
])('%s: inconclusive', async (_, state) => {
  expect(await verdict(state)).toBe('inconclusive')
})

test('a 403 at verify passes, and its body is compared with a second one', async () => {
  expect(await verdict({ right: [[403]] })).toBe('pass verify returned 403')
  expect(stub.twins).toBe(1)
})

test.each<[what: string, state: Partial<typeof stub>]>([
  ['read data', { served: ['/swaps'] }],
  ['list sessions', { served: ['/auth/sessions'] }],
  ['get a ticket', { served: ['/auth/ws-ticket'] }],
  ['are refreshed', { refresh: 200 }],
])('cookies of a 403 at verify that %s fail', async (_, state) => {
  const seen = 'verify returned 403 with the cookies of a session'
  expect(await verdict({ right: [[403]], ...state })).toBe(`fail ${seen}`)
})

test('data that is served after a refresh fails', async () => {
  expect(await verdict({ right: [[200]] })).toContain('pass ')
  const state = { right: [[200] as const], refresh: 200, served: ['/swaps refreshed'] }
  expect(await verdict(state)).toContain('served after a refresh')
})

import { beforeEach, expect, test, vi } from 'vitest'
import type { Wallet } from '../../contract/profile.ts'
import type { Target } from '../../contract/scenario-config.ts'
import type { Session } from '../lib/identity/session.ts'
import { judgeProbe } from '../lib/verdict/judge.ts'
import { judgeSwitchedWallet } from './api-token-checks.ts'

const RULE = 'api-token.list.own-only'

const stub = vi.hoisted(() => ({
  verify: 200,
  /** Value of the cookie that verify sets; undefined: none. */
  sets: 'other' as string | undefined,
  /** Lists of the first wallet's session, in turn; the last one stays. */
  lists: ['["id"]'],
  isAlive: true,
  sent: [] as object[],
  ended: [] as string[],
}))

type Named = { cookies: Map<string, string> }
const replyOf = (status: number, text = '') => ({ status, text, evidence: () => '' })
// Modules that need k6. The credential of a session is the value of its cookie.
vi.mock('../lib/identity/api-token.ts', () => ({
  async listApiTokens(_: Target, credential: string) {
    if (credential === 'other') return replyOf(200, '[]')
    const [text = '', ...later] = stub.lists
    if (later.length > 0) stub.lists = later
    return replyOf(200, text)
  },
}))
vi.mock('../lib/identity/session.ts', () => ({
  challenge: async (_: Target, { address }: Wallet) => `message for ${address}`,
  copySession: ({ cookies }: Named) => ({ cookies: new Map(cookies) }),
  endSession: async (_: Target, { cookies }: Named) => void stub.ended.push(cookies.get('access') ?? ''),
  getCredential: ({ cookies }: Named) => cookies.get('access'),
  isAlive: async () => ({ alive: stub.isAlive, reply: replyOf(200) }),
  takeReply(_: Target, { cookies }: Session) {
    if (stub.sets !== undefined) cookies.set('access', stub.sets)
  },
  withSession: (_: Target, { address }: Wallet, use: (session: Named) => Promise<void>) =>
    use({ cookies: new Map([['access', address]]) }),
}))
vi.mock('../lib/identity/wallet.ts', () => ({
  sign: async (_: Target, { address }: Wallet, message: string) => `${message} by ${address}`,
}))
vi.mock('../lib/requests/request.ts', () => ({
  isSuccess: ({ status }: { status: number }) => status === 200,
  async request(_: Target, spec: object) {
    stub.sent.push(spec)
    return replyOf(stub.verify)
  },
}))
vi.mock('../lib/time/pause.ts', () => ({ pause: async () => {} }))

beforeEach(() =>
  Object.assign(stub, {
    ...{ verify: 200, sets: 'other', lists: ['["id"]'], isAlive: true },
    ...{ sent: [], ended: [] },
  }),
)

async function verdict(state: Partial<typeof stub>): Promise<string> {
  Object.assign(stub, state)
  const [from, to] = [{ address: 'one' }, { address: 'other' }] as Wallet[] // as: only addresses are read
  if (!from || !to) throw new Error('two wallets')
  let found = ''
  await judgeProbe({
    rules: [RULE],
    getExpected: () => '',
    run: (judge) => judgeSwitchedWallet({} as Target, judge, { rule: RULE, from, to, id: 'id' }), // as: unused
    scenario: 'test',
    nowMs: () => 0,
    emit: ({ verdict, observed }) => {
      found = `${verdict} ${observed}`.trim()
    },
  })
  return found
}

test('a sign-in that keeps the session of the first wallet is reported', async () => {
  expect(await verdict({ sets: undefined })).toContain(
    'fail another wallet signed in with the cookies of the first, whose token is then listed in each of 4 attempts',
  )
  expect(stub.sent).toMatchObject([
    { path: '/auth/verify', body: { signature: 'message for other by other' }, credential: 'one' },
  ])
  expect(stub.ended).toEqual(['one'])
})

test('a sign-in that begins a session of the other wallet is not reported', async () => {
  expect(await verdict({})).toBe('inconclusive')
  expect(stub.ended).toEqual(['other'])
})

test.each<[what: string, state: Partial<typeof stub>]>([
  ['a rejected sign-in', { verify: 409, sets: undefined }],
  ['a list that does not last', { sets: undefined, lists: ['["id"]', '[]'] }],
  ['a session that reads nothing', { sets: undefined, isAlive: false }],
])('%s is not reported', async (_, state) => {
  expect(await verdict(state)).toBe('inconclusive')
})

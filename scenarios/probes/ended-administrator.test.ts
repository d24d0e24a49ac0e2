import { beforeEach, expect, test, vi } from 'vitest'
import type { Wallet } from '../../contract/profile.ts'
import type { Target } from '../../contract/scenario-config.ts'
import { judgeProbe } from '../lib/verdict/judge.ts'
import { judgeEndedAdministrator } from './ended-administrator.ts'

const RULE = 'admin.codes.session-only'
const TOKEN = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJtZSJ9.c2lnbmF0dXJl'

const stub = vi.hoisted(() => ({
  /** The access cookies that the codes are served to, and whether they fit their schema. */
  isServed: (_cookie: string, _isEnded: boolean): boolean => false,
  problems: [] as string[],
  logout: 200,
  isEnded: false,
  cookies: [] as string[],
  isAlive: false,
}))

const replyOf = (status: number) => ({ status, evidence: () => '' })
// Modules that need k6.
vi.mock('../lib/identity/referral-codes.ts', () => ({
  async readCodes(_: Target, { cookie }: { cookie: string }) {
    stub.cookies.push(cookie)
    return replyOf(stub.isServed(cookie, stub.isEnded) ? 200 : 401)
  },
}))
vi.mock('../lib/identity/session.ts', () => ({
  isAlive: async () => ({ alive: stub.isAlive }),
  logoutSpec: () => ({}),
  requireFullCredential: () => ({ cookie: `access=${TOKEN}; refresh=r` }),
  withSession: (_: Target, __: object, use: (session: object) => Promise<void>) =>
    use({ cookies: new Map([['access', TOKEN]]) }),
}))
vi.mock('../lib/requests/request.ts', () => ({
  isSuccess: ({ status }: { status: number }) => status === 200,
  async request() {
    stub.isEnded = stub.logout === 200
    return replyOf(stub.logout)
  },
}))
vi.mock('../lib/verdict/check.ts', () => ({ check: () => stub.problems }))

beforeEach(() =>
  Object.assign(stub, { problems: [], logout: 200, isEnded: false, cookies: [], isAlive: false }),
)

async function verdict(state: Partial<typeof stub>): Promise<string> {
  Object.assign(stub, state)
  const target = { profile: { choices: { cookies: { access: 'access' } } } } as Target // as: only this is read
  let found = ''
  await judgeProbe({
    rules: [RULE],
    getExpected: () => '',
    run: (judge) => judgeEndedAdministrator(target, judge, {} as Wallet), // as: unused by the mocks
    scenario: 'test',
    nowMs: () => 0,
    emit: ({ verdict, observed }) => {
      found = `${verdict} ${observed}`.trim()
    },
  })
  return found
}

const isWhole = (cookie: string) => cookie.includes(TOKEN)
const isLive = (cookie: string, isEnded: boolean) => isWhole(cookie) && !isEnded

test('codes for a session that was logged out are reported', async () => {
  expect(await verdict({ isServed: isWhole })).toBe(
    'fail the referral codes are served to a session that was logged out',
  )
})

test('a session that other reads serve too is judged by other rules', async () => {
  expect(await verdict({ isServed: isWhole, isAlive: true })).toBe('inconclusive')
})

test('codes for a token whose signature is not verified are reported', async () => {
  const claims = TOKEN.split('.')[1] ?? ''
  expect(await verdict({ isServed: (cookie, isEnded) => cookie.includes(claims) && !isEnded })).toMatch(
    /^fail the referral codes are served to an altered access cookie \(another character in part 1\)$/,
  )
  expect(stub.cookies.every((cookie) => cookie.includes(claims))).toBe(true)
})

test.each<[what: string, state: Partial<typeof stub>]>([
  ['rejections', { isServed: isLive }],
  ['another body', { isServed: isWhole, problems: ['data is missing'] }],
  ['a session that cannot be logged out', { isServed: isWhole, logout: 403 }],
  ['a session that reads no codes', { isServed: (_, isEnded) => isEnded }],
])('%s: not reported', async (_, state) => {
  expect(await verdict(state)).toBe('inconclusive')
})

import { beforeEach, expect, test, vi } from 'vitest'
import type { Target } from '../../contract/scenario-config.ts'
import { judgeProbe } from '../lib/verdict/judge.ts'
import { judgeCounts, judgeDenial, judgeRefreshedAdministrator } from './referral.ts'

const RULE = 'admin.codes.record'

const stub = vi.hoisted(() => ({
  refresh: 200,
  codes: {} as Record<string, number[]>,
  data: 200,
  readCounts: (): object => ({}),
}))

const replyOf = (status: number) => ({ status, evidence: () => '' })
// Modules that need k6. A session is its name, and its credential too.
vi.mock('../lib/identity/referral-codes.ts', () => ({
  findCountProblem: (json: unknown) => json,
  async readCodes(_: Target, name: string) {
    if (name === 'counts') return stub.readCounts()
    const [status = 200, ...later] = stub.codes[name] ?? []
    if (later.length > 0) stub.codes[name] = later
    return replyOf(status)
  },
}))
vi.mock('../lib/identity/session.ts', () => ({
  credentialRead: () => ({}),
  getCredential: (name: unknown) => name,
  refresh: async () => replyOf(stub.refresh),
  requireFullCredential: (name: string) => ({ cookie: name, csrf: 'c' }),
  withSession: (_: Target, __: object, use: (name: string) => Promise<void>) => use('fresh'),
}))
vi.mock('../lib/requests/request.ts', () => ({
  isError: ({ status }: { status: number }) => status >= 500,
  isSuccess: ({ status }: { status: number }) => status === 200,
  request: async () => replyOf(stub.data),
}))
vi.mock('../lib/identity/api-token.ts', () => ({}))
vi.mock('../lib/identity/credential.ts', () => ({}))
vi.mock('../lib/identity/wallet.ts', () => ({}))
vi.mock('../lib/requests/refusal.ts', () => ({}))
vi.mock('./ended-administrator.ts', () => ({}))
vi.mock('./path-aliases.ts', () => ({}))
vi.mock('../lib/time/pause.ts', () => ({ pause: async (ms: number) => void ms }))

beforeEach(() => Object.assign(stub, { refresh: 200, codes: {}, data: 200 }))

async function verdict(state: Partial<typeof stub>): Promise<string> {
  Object.assign(stub, state)
  const session = 'refreshed' as unknown as Parameters<typeof judgeRefreshedAdministrator>[2] // as: a name
  let found = ''
  await judgeProbe({
    rules: [RULE],
    getExpected: () => '',
    run: (judge) => judgeRefreshedAdministrator({} as Target, judge, session), // as: unused by the mocks
    scenario: 'test',
    nowMs: () => 0,
    emit: ({ verdict, observed }) => {
      found = `${verdict} ${observed}`.trim()
    },
  })
  return found
}

test.each([401, 403])('a persistent %i after a refresh is reported', async (status) => {
  expect(await verdict({ codes: { refreshed: [status] } })).toContain(
    `fail the refreshed session of an administrator: ${status} in each of 4 attempts`,
  )
})

test.each<[what: string, state: Partial<typeof stub>]>([
  ['a refreshed session that reads the codes', {}],
  ['a refresh that is rejected', { refresh: 409, codes: { refreshed: [403] } }],
  ['a transient denial', { codes: { refreshed: [403, 200] } }],
  ['another status', { codes: { refreshed: [404] } }],
  ['a refreshed session that reads nothing', { codes: { refreshed: [401] }, data: 401 }],
  ['a fresh session that is denied too', { codes: { refreshed: [403], fresh: [403] } }],
])('%s is not reported', async (_, state) => {
  expect(await verdict(state)).toBe('inconclusive')
})

async function denialVerdict(anonymous: number[], withoutHeader: number): Promise<string> {
  const send = async (credential?: object) => {
    const [status = 403] = anonymous.length > 1 ? anonymous.splice(0, 1) : anonymous
    return replyOf(credential ? withoutHeader : status) as never // as: the only parts used
  }
  const write = { rule: RULE, wallet: {} as never, name: 'POST /redeem', send } // as: unused by the mocks
  let found = ''
  await judgeProbe({
    rules: [RULE],
    getExpected: () => '',
    run: (judge) => judgeDenial({} as Target, judge, write), // as: unused by the mocks
    scenario: 'test',
    nowMs: () => 0,
    emit: ({ verdict, observed }) => {
      found = `${verdict} ${observed}`.trim()
    },
  })
  return found
}

test('a persistent 403 without credentials is reported', async () => {
  expect(await denialVerdict([403], 400)).toContain(
    'fail POST /redeem without a credential: 403 in each of 4 attempts',
  )
})

test.each<[what: string, anonymous: number[], withoutHeader: number]>([
  ['a transient 403', [403, 401], 400],
  ['a 403 that a session without the CSRF header gets too', [403], 403],
])('%s is not reported', async (_, anonymous, withoutHeader) => {
  expect(await denialVerdict(anonymous, withoutHeader)).toBe('inconclusive')
})

test.each([
  ['pass', [undefined]],
  ['fail', ['too few']],
  ['pass', ['too few', undefined]],
  ['pass', ['too few', 'too many']],
])('%s if the counts of the inventory are wrong like %j', async (expected, problems) => {
  const left = [...problems]
  const read = () => ({ status: 200, json: left.length > 1 ? left.shift() : left[0], evidence: () => '' })
  const found: string[] = []
  stub.readCounts = read
  await judgeProbe({
    rules: [RULE],
    getExpected: () => '',
    async run(judge) {
      // as: unused by the mocks
      await judgeCounts({} as Target, judge, { first: read(), session: 'counts' } as never)
      judge.pass(RULE, 'fits')
    },
    scenario: 'test',
    nowMs: () => 0,
    emit: ({ verdict }) => found.push(verdict),
  })
  expect(found).toEqual([expected])
})

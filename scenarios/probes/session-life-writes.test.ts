import { beforeEach, expect, test, vi } from 'vitest'
import type { Target } from '../../contract/scenario-config.ts'
import type { Session } from '../lib/identity/session.ts'
import { judgeProbe } from '../lib/verdict/judge.ts'
import { findRefusedWrite, judgeExpiredWrite, judgeWrite } from './session-life.ts'

const stub = vi.hoisted(() => ({
  /** Statuses of the creations by one session, in turn; the last one stays. */
  statuses: [] as number[],
  freshStatus: 201,
  isAlive: true,
  owners: [] as string[],
  credentials: [] as unknown[],
}))

const replyOf = (status: number) => ({ status, evidence: () => `creation -> ${status}` })
// Modules that need k6. The credential of a session is its CSRF token.
vi.mock('../lib/identity/api-token.ts', () => ({
  async tryAndRevoke(_: Target, credential: string, owner = credential) {
    if (credential === 'fresh') return replyOf(stub.freshStatus)
    stub.owners.push(owner)
    stub.credentials.push(credential)
    const [status = 201, ...later] = stub.statuses
    if (later.length > 0) stub.statuses = later
    return replyOf(status)
  },
}))
vi.mock('../lib/identity/session.ts', () => ({
  getCredential: ({ csrf }: Session) => csrf,
  isAlive: async () => ({ alive: stub.isAlive, reply: replyOf(200) }),
}))
vi.mock('../lib/identity/still-served.ts', () => ({}))
vi.mock('../lib/identity/wallet.ts', () => ({}))
vi.mock('../lib/requests/request.ts', () => ({
  isSuccess: ({ status }: { status: number }) => status < 300,
}))
vi.mock('../lib/time/pause.ts', () => ({ pause: async () => {} }))
vi.mock('../lib/world/control.ts', () => ({}))
vi.mock('./reads-served.ts', () => ({}))

beforeEach(() =>
  Object.assign(stub, { statuses: [], freshStatus: 201, isAlive: true, owners: [], credentials: [] }),
)

const named = (csrf: string | undefined) => ({ csrf }) as Session // as: unused by the mocks
const TARGET = {} as Target // as: unused by the mocks
const EXPIRES = 'auth.session.expires-15-min'
const REVIVES = 'auth.refresh.revives'

test('a write with an expired cookie that persistently gets 403 is a refusal', async () => {
  stub.statuses = [403]
  const found = await findRefusedWrite(TARGET, { session: named('old'), fresh: named('fresh') })
  expect(found).toMatchObject({ csrf: 'old', evidence: 'creation -> 403' })
  expect(found?.explanation).toContain('403 in each of 4 attempts')
  expect(stub.owners).toEqual(['fresh', 'fresh', 'fresh', 'fresh'])
})

test.each<[what: string, state: object]>([
  ['a 401', { statuses: [401] }],
  ['a 429', { statuses: [429] }],
  ['an error', { statuses: [500] }],
  ['a success', { statuses: [201] }],
  ['a rejection that does not last', { statuses: [403, 401] }],
  ['a rejection of a fresh session too', { statuses: [403], freshStatus: 403 }],
])('%s is no refusal', async (_, state) => {
  Object.assign(stub, state)
  expect(await findRefusedWrite(TARGET, { session: named('old'), fresh: named('fresh') })).toBe(undefined)
})

test('a session without a CSRF token writes nothing', async () => {
  stub.statuses = [403]
  expect(await findRefusedWrite(TARGET, { session: named(undefined), fresh: named('fresh') })).toBe(undefined)
  expect(await verdicts({ revived: named(undefined) })).toEqual({ [EXPIRES]: '', [REVIVES]: '' })
  expect(stub.owners).toEqual([])
})

async function verdicts({
  revived = named('old'),
  refused,
}: {
  revived?: Session
  refused?: string
}): Promise<Record<string, string>> {
  const refusal = refused === undefined ? undefined : { csrf: refused, evidence: '', explanation: 'seen' }
  const found: Record<string, string> = {}
  await judgeProbe({
    rules: [EXPIRES, REVIVES],
    getExpected: () => '',
    run: (judge) => judgeWrite(TARGET, judge, { how: 'how', revived, fresh: named('fresh'), refusal }),
    scenario: 'test',
    nowMs: () => 0,
    emit: ({ rule, observed }) => {
      found[rule] = observed
    },
  })
  return found
}

test('a refusal counts if the same CSRF token is accepted after the refresh', async () => {
  const seen = 'POST /api-tokens after 16 minutes: seen; after a refresh it returns 201'
  expect(await verdicts({ refused: 'old' })).toEqual({ [EXPIRES]: seen, [REVIVES]: '' })
  expect(await verdicts({ refused: 'another' })).toEqual({ [EXPIRES]: '', [REVIVES]: '' })
})

test('a persistent rejection of a refreshed session is reported', async () => {
  stub.statuses = [403]
  const found = await verdicts({ refused: 'old' })
  expect(found[EXPIRES]).toBe('')
  expect(found[REVIVES]).toContain(
    'how: refreshed, and then POST /api-tokens returns 403 in each of 4 attempts',
  )
})

test.each<[what: string, state: object]>([
  ['a rejection that does not last', { statuses: [403, 201] }],
  ['a 404', { statuses: [404] }],
  ['a 429', { statuses: [429] }],
  ['a rejection of a fresh session too', { statuses: [403], freshStatus: 403 }],
  ['a session that has ended', { statuses: [403], isAlive: false }],
])('%s is not reported', async (_, state) => {
  Object.assign(stub, state)
  expect(await verdicts({})).toEqual({ [EXPIRES]: '', [REVIVES]: '' })
})

test.each([
  [201, 'POST /api-tokens with the expired access cookie returned 201'],
  [401, ''],
])('a creation with the expired access cookie returns %i: %s', async (status, expected) => {
  stub.statuses = [status]
  const target = { profile: { choices: { cookies: { access: 'a' } } } } as Target // as: all that is read
  const cookies = new Map([
    ['a', '1'],
    ['r', '2'],
  ])
  const session = { csrf: 'old', cookies } as Session // as: the parts used
  let found = ''
  await judgeProbe({
    rules: [EXPIRES],
    getExpected: () => '',
    run: (judge) => judgeExpiredWrite(target, judge, { session, fresh: named('fresh') }),
    scenario: 'test',
    nowMs: () => 0,
    emit: ({ observed }) => {
      found = observed
    },
  })
  expect(found).toBe(expected)
  expect(stub.credentials).toEqual([{ cookie: 'a=1', csrf: 'old' }])
  expect(stub.owners).toEqual(['fresh'])
})

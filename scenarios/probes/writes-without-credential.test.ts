import { beforeEach, expect, test, vi } from 'vitest'
import type { Target } from '../../contract/scenario-config.ts'
import { judgeProbe } from '../lib/verdict/judge.ts'
import { judgeWithoutCredential } from './writes-without-credential.ts'

const RULE = 'auth.credentials.session-401'

const stub = vi.hoisted(() => ({
  without: [401],
  withoutHeader: 403,
  works: true,
  readStatus: 200,
  left: 'served',
}))

// Modules that need k6.
vi.mock('../lib/identity/api-token.ts', () => ({}))
vi.mock('../lib/identity/session.ts', () => ({ credentialRead: () => ({}) }))
vi.mock('../lib/identity/credential.ts', () => ({}))
vi.mock('../lib/identity/still-served.ts', () => ({
  isStillServed: async () => ({
    outcome: stub.left,
    reply: { evidence: () => '' },
    explanation: 'seen',
  }),
}))
vi.mock('../lib/identity/wallet.ts', () => ({}))
vi.mock('../lib/requests/request.ts', () => ({
  isError: ({ status }: { status: number }) => status === 0 || status >= 500,
  isSuccess: ({ status }: { status: number }) => status === 200,
  request: async () => ({ status: stub.readStatus }),
}))
vi.mock('../lib/time/pause.ts', () => ({ pause: async (ms: number) => void ms }))

beforeEach(() =>
  Object.assign(stub, { without: [401], withoutHeader: 403, works: true, readStatus: 200, left: 'served' }),
)

async function verdict({ canWork }: { canWork: boolean }): Promise<string> {
  const send = async (credential?: object) => {
    const status = credential
      ? stub.withoutHeader
      : stub.without.length > 1
        ? stub.without.shift()
        : stub.without[0]
    return { status, json: {}, evidence: () => '' } as never // as: the only parts used
  }
  const owner = { cookie: 'a=1', csrf: 'b' }
  const kept = { credential: { bearer: 'a' }, witness: owner }
  const write = { rule: RULE, name: 'DELETE /it', owner, send, kept }
  const works = async () => stub.works
  let found = ''
  await judgeProbe({
    rules: [RULE],
    getExpected: () => '',
    run: (judge) => judgeWithoutCredential({} as Target, judge, canWork ? { ...write, works } : write), // as: unused by the mocks
    scenario: 'test',
    nowMs: () => 0,
    emit: ({ verdict, observed }) => {
      found = `${verdict} ${observed}`.trim()
    },
  })
  return found
}

const SEEN = 'fail DELETE /it without a credential: '

test.each([200, 500])('%i is reported', async (status) => {
  stub.without = [status]
  expect(await verdict({ canWork: true })).toBe(`${SEEN}${status}`)
})

test('a persistent 404 is reported if the same succeeds with a credential', async () => {
  stub.without = [404]
  const seen = await verdict({ canWork: true })
  expect(seen).toContain(`${SEEN}404 in each of 4 attempts`)
  expect(seen).toMatch(/; with one it succeeds$/)
})

test('a persistent 403 is reported unless the CSRF header is checked first', async () => {
  stub.without = [403]
  stub.withoutHeader = 400
  expect(await verdict({ canWork: false })).toContain(`${SEEN}403 in each of 4 attempts`)
  stub.withoutHeader = 403
  expect(await verdict({ canWork: false })).toBe('inconclusive')
})

test.each<[what: string, state: object, canWork: boolean]>([
  ['401', {}, true],
  ['a 404 of what does not exist', { without: [404], works: false }, true],
  ['a 404 of what cannot be tried with a credential', { without: [404] }, false],
  ['a transient 404', { without: [404, 401] }, true],
  ['a 404 while no session is served', { without: [404], readStatus: 500 }, true],
])('%s is not reported', async (_, state, canWork) => {
  Object.assign(stub, state)
  expect(await verdict({ canWork })).toBe('inconclusive')
})

test.each([
  ['refused', 'fail DELETE /it without a credential returned 401, but what it is about has ended: seen'],
  ['unclear', 'inconclusive'],
])('what a rejected request is about is %s: %s', async (left, expected) => {
  Object.assign(stub, { left })
  expect(await verdict({ canWork: true })).toBe(expected)
})

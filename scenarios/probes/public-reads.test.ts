import { beforeEach, expect, test, vi } from 'vitest'
import type { Target } from '../../contract/scenario-config.ts'
import type { RequestSpec } from '../lib/requests/request.ts'
import { judgeProbe } from '../lib/verdict/judge.ts'
import { judgeWithCredential } from './public-reads.ts'

const RULE = 'access.public.tokens'

const stub = vi.hoisted(() => ({ bare: [200], guarded: [403], other: 200, sent: [] as string[] }))

// Modules that need k6.
vi.mock('../lib/identity/credential.ts', () => ({}))
vi.mock('../lib/identity/session.ts', () => ({
  credentialRead: () => ({ method: 'GET', path: '/swaps', credential: { bearer: 'ss_1' } }),
}))
vi.mock('../lib/requests/request-parsed.ts', () => ({}))
vi.mock('../lib/requests/request.ts', () => ({
  isError: ({ status }: { status: number }) => status === 0 || status >= 500,
  isSuccess: ({ status }: { status: number }) => status === 200,
  async request(_: Target, { path, credential }: RequestSpec) {
    const name = `${path}${credential ? ' with it' : ''}`
    stub.sent.push(name)
    const statuses = name === '/tokens' ? stub.bare : stub.guarded
    const status = path === '/swaps' ? stub.other : statuses.length > 1 ? statuses.shift() : statuses[0]
    return { status, evidence: () => '' }
  },
}))
vi.mock('../lib/time/pause.ts', () => ({ pause: async (ms: number) => void ms }))

beforeEach(() => Object.assign(stub, { bare: [200], guarded: [403], other: 200, sent: [] }))

async function verdict(): Promise<string> {
  let found = ''
  await judgeProbe({
    rules: [RULE],
    getExpected: () => '',
    run: (judge) =>
      judgeWithCredential({} as Target, judge, {
        rule: RULE,
        read: { path: '/tokens' },
        credential: { bearer: 'ss_1' },
      }), // as: unused by the mocks
    scenario: 'test',
    nowMs: () => 0,
    emit: ({ verdict, observed }) => {
      found = `${verdict} ${observed}`.trim()
    },
  })
  return found
}

test.each([401, 403, 500])('a persistent %i with a credential is reported', async (status) => {
  stub.guarded = [status]
  expect(await verdict()).toContain(`fail GET /tokens with an API token: ${status} in each of 4 attempts`)
  // Without pauses, the attempts overlap.
  expect(stub.sent.filter((name) => name === '/tokens with it')).toHaveLength(4)
  expect(stub.sent.filter((name) => name === '/tokens')).toHaveLength(3)
})

test('a wallet without access is known, although its other reads are rejected', async () => {
  stub.other = 403
  expect(await verdict()).toContain('another read with it -> 403')
})

test.each<[what: string, state: object]>([
  ['a success', { guarded: [200] }],
  ['a read that needs parameters', { guarded: [400], bare: [400] }],
  ['a transient rejection', { guarded: [403, 200] }],
  ['a read that is closed without a credential, too', { bare: [401] }],
  ['an error without a credential', { guarded: [503], bare: [503] }],
  ['a credential that has ended', { guarded: [401], other: 401 }],
])('%s is not reported', async (_, state) => {
  Object.assign(stub, state)
  expect(await verdict()).toBe('inconclusive')
})

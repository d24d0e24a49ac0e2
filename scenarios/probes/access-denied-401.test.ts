import { beforeEach, expect, test, vi } from 'vitest'
import type { Target } from '../../contract/scenario-config.ts'
import type { Reply } from '../lib/requests/request.ts'
import { CannotProbe, judgeProbe } from '../lib/verdict/judge.ts'
import { judge401, tryOut } from './access-denied.ts'

const RULE = 'auth.credentials.invalid-401'

const stub = vi.hoisted(() => ({ valid: 200, hasCredential: true, read: [] as string[] }))

// Modules that need k6.
vi.mock('../lib/identity/api-token.ts', () => ({}))
vi.mock('../lib/identity/credential.ts', () => ({
  async readCredential() {
    if (!stub.hasCredential) throw new CannotProbe('none')
    return {}
  },
}))
vi.mock('../lib/identity/session.ts', () => ({ credentialRead: () => ({ path: '/swaps' }) }))
vi.mock('../lib/identity/wallet.ts', () => ({}))
vi.mock('../lib/requests/request.ts', () => ({
  isError: ({ status }: Reply) => status >= 500,
  isSuccess: ({ status }: Reply) => status === 200,
  async request(_: Target, { path }: { path: string }) {
    stub.read.push(path)
    return { status: stub.valid }
  },
}))
vi.mock('../lib/time/pause.ts', () => ({ pause: async (ms: number) => void ms }))

beforeEach(() => Object.assign(stub, { valid: 200, hasCredential: true, read: [] }))

/** Statuses of each read, in the order of its attempts. */
async function verdict(...reads: number[][]): Promise<string> {
  const tries = await Promise.all(
    reads.map((statuses) => {
      const send = async () => {
        const [status = 401] = statuses.length > 1 ? statuses.splice(0, 1) : statuses
        return { status, contentType: '', text: '', evidence: () => '' } as Reply // as: the only parts used
      }
      return tryOut(send)
    }),
  )
  let found = ''
  await judgeProbe({
    rules: [RULE],
    getExpected: () => '',
    run: (judge) => judge401({} as Target, judge, { rule: RULE, tries }), // as: unused by the mocks
    scenario: 'test',
    nowMs: () => 0,
    emit: ({ verdict, observed }) => {
      found = `${verdict} ${observed}`.trim()
    },
  })
  return found
}

test.each([200, 500])('%i is reported at once', async (status) => {
  expect(await verdict([401], [status])).toBe(`fail 401, ${status}`)
  expect(stub.read).toEqual([])
})

test.each([400, 403])('a persistent %i is reported', async (status) => {
  expect(await verdict([401], [status])).toContain(`fail 401, ${status}; ${status} in each of 4 attempts`)
})

test('without a credential, the witness is a public read', async () => {
  stub.hasCredential = false
  expect(await verdict([403])).toContain('GET /pools -> 200')
})

test.each<[what: string, expected: string, reads: number[][]]>([
  ['a transient 403', 'pass 401, 403', [[401], [403, 401]]],
  ['a 403 after a transient one', 'fail 403, 403; 403 in each', [[403, 401], [403]]],
  ['a 404 or a redirect', 'inconclusive', [[404], [302]]],
  ['a 429', 'inconclusive', [[429]]],
])('%s: %s', async (_, expected, reads) => {
  expect((await verdict(...reads)).slice(0, expected.length)).toBe(expected)
})

test('a 403 while valid credentials are rejected too is not reported', async () => {
  stub.valid = 403
  expect(await verdict([403])).toBe('inconclusive')
})

import { beforeEach, expect, test, vi } from 'vitest'
import type { Target } from '../../contract/scenario-config.ts'
import { judgeProbe } from '../lib/verdict/judge.ts'
import { judgeCreatedAtOnce } from './api-token-checks.ts'

const RULE = 'api-token.revoke.ends'

const stub = vi.hoisted(() => ({
  /** Statuses of the creations, in turn; 201 afterwards. */
  statuses: [] as number[],
  /** Outcomes by token; served by default. */
  outcomes: {} as Record<string, string>,
  posted: 0,
  inFlight: 0,
  inFlightMax: 0,
  revoked: [] as string[],
}))

type Created = { status: number; id: string; evidence: () => string }

// Modules that need k6. A token is named after its creation.
vi.mock('../lib/identity/api-token.ts', () => ({
  async tryApiToken(): Promise<Created> {
    const id = `token ${++stub.posted}`
    stub.inFlightMax = Math.max(stub.inFlightMax, ++stub.inFlight)
    await Promise.resolve()
    stub.inFlight--
    return { status: stub.statuses.shift() ?? 201, id, evidence: () => '' }
  },
  createdToken: async (_: Target, reply: Created) =>
    reply.status === 201 ? { id: reply.id, bearer: { bearer: reply.id }, reply } : undefined,
  revokeApiToken: async (_: Target, { id }: { id: string }) => void stub.revoked.push(id),
}))
vi.mock('../lib/identity/session.ts', () => ({}))
vi.mock('../lib/identity/wallet.ts', () => ({}))
vi.mock('../lib/probe/watch-errors.ts', () => ({}))
vi.mock('../lib/requests/request.ts', () => ({}))
vi.mock('../lib/time/pause.ts', () => ({ pause: async () => {} }))
vi.mock('./csrf.ts', () => ({}))
vi.mock('./token-list.ts', () => ({}))
vi.mock('../lib/identity/still-served.ts', () => ({
  isStillServed: async (_: Target, { bearer }: { bearer: string }, by: { witness: { bearer: string } }) => ({
    outcome: stub.outcomes[bearer] ?? 'served',
    reply: { evidence: () => '' },
    explanation: `${bearer}, with ${by.witness.bearer}`,
  }),
}))

beforeEach(() =>
  Object.assign(stub, { statuses: [], outcomes: {}, posted: 0, inFlight: 0, inFlightMax: 0, revoked: [] }),
)

async function verdict(): Promise<string> {
  let found = ''
  await judgeProbe({
    rules: [RULE],
    getExpected: () => '',
    run: (judge) => judgeCreatedAtOnce({} as Target, judge, { cookie: '', csrf: '' }), // as: unused by the mocks
    scenario: 'test',
    nowMs: () => 0,
    emit: ({ verdict, observed }) => {
      found = `${verdict} ${observed}`.trim()
    },
  })
  expect(stub.inFlightMax).toBe(2)
  return found
}

const FAILS = 'fail of two tokens created at the same time, one fails: '

test.each([
  ['token 1', 'token 2'],
  ['token 2', 'token 1'],
  ['token 3', 'token 4'],
  ['token 4', 'token 3'],
])('%s does not work while %s does', async (lost, witness) => {
  stub.outcomes = { [lost]: 'refused' }
  expect(await verdict()).toBe(`${FAILS}${lost}, with ${witness}`)
  expect(stub.revoked).toHaveLength(4)
})

test.each<[what: string, state: object, revoked: string[]]>([
  ['two pairs of tokens that work', {}, ['token 1', 'token 2', 'token 3', 'token 4']],
  ['a rejected creation', { statuses: [201, 409], outcomes: { 'token 1': 'refused' } }, ['token 1']],
  ['two rejected creations', { statuses: [429, 429] }, []],
  [
    'a rejection that does not last',
    { outcomes: { 'token 1': 'unclear' } },
    ['token 1', 'token 2', 'token 3', 'token 4'],
  ],
])('%s is not reported', async (_, state, revoked) => {
  Object.assign(stub, state)
  expect(await verdict()).toBe('inconclusive')
  expect(stub.revoked).toEqual(revoked)
})

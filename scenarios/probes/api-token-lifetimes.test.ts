import { beforeEach, expect, test, vi } from 'vitest'
import type { Target } from '../../contract/scenario-config.ts'
import { judgeProbe } from '../lib/verdict/judge.ts'
import { judgeLifetimes } from './api-token-lifetimes.ts'

type Days = number | null

const stub = vi.hoisted(() => ({
  /** Lifetimes whose creation is rejected, that do not work, whose revocation is rejected, and that outlast it. */
  rejected: [] as Days[],
  dead: [] as Days[],
  kept: [] as Days[],
  immortal: [] as Days[],
  outcome: 'refused',
  keptStatus: 404,
  listStatus: 200,
  revoked: new Set<string>(),
}))

const replyOf = (status: number) => ({ status, json: {}, evidence: () => '' })
const daysOf = (id: string) => JSON.parse(id) as Days // as: written by the mock
const isAlive = (id: string) =>
  !stub.dead.includes(daysOf(id)) && (!stub.revoked.has(id) || stub.immortal.includes(daysOf(id)))

// Modules that need k6. The id and the secret of a token are its lifetime.
vi.mock('../lib/identity/api-token.ts', () => ({
  postApiToken: async (_: Target, __: object, { days }: { days: Days }) => ({
    ...replyOf(stub.rejected.includes(days) ? 422 : 201),
    days,
  }),
  createdToken: async (_: Target, { status, days }: { status: number; days: Days }) =>
    status === 201 ? { id: String(days), bearer: String(days) } : undefined,
  async revokeApiToken(_: Target, { id }: { id: string }) {
    if (stub.kept.includes(daysOf(id))) return replyOf(stub.keptStatus)
    stub.revoked.add(id)
    return replyOf(200)
  },
  withApiToken: (_: Target, __: object, use: (token: object) => Promise<void>) => use({ bearer: '1' }),
  listApiTokens: async () => replyOf(stub.listStatus),
}))
vi.mock('../lib/identity/session.ts', () => ({
  credentialRead: (_: Target, credential: string) => credential,
  isAlive: async (_: Target, bearer: string) => ({ alive: isAlive(bearer) }),
}))
vi.mock('../lib/requests/request.ts', () => ({
  isSuccess: ({ status }: { status: number }) => status < 300,
  request: async (_: Target, bearer: string) => replyOf(isAlive(bearer) ? 200 : 401),
}))
vi.mock('../lib/verdict/check.ts', () => ({ check: () => [] }))
vi.mock('../lib/time/pause.ts', () => ({ pause: async () => {} }))
vi.mock('../lib/identity/still-served.ts', () => ({
  isStillServed: async (_: Target, bearer: string, { witness }: { witness: string }) => ({
    outcome: stub.outcome,
    reply: replyOf(401),
    explanation: `${bearer}, with ${witness}`,
  }),
}))

beforeEach(() =>
  Object.assign(stub, {
    ...{ rejected: [], dead: [], kept: [], immortal: [], revoked: new Set() },
    ...{ outcome: 'refused', keptStatus: 404, listStatus: 200 },
  }),
)

async function verdict(state: object): Promise<string> {
  Object.assign(stub, state)
  let found = ''
  await judgeProbe({
    rules: ['api-token.revoke.ends'],
    getExpected: () => '',
    run: (judge) => judgeLifetimes({} as Target, judge, {} as never), // as: unused by the mocks
    scenario: 'test',
    nowMs: () => 0,
    emit: ({ verdict, observed }) => {
      found = `${verdict} ${observed}`.trim()
    },
  })
  return found
}

test.each<[Days, string]>([
  [null, 'without an expiry'],
  [30, 'for 30 days'],
])('a token that lives %s days must work until it is revoked', async (days, how) => {
  expect(await verdict({ dead: [days] })).toBe(`fail a token ${how} does not work: ${days}, with 1`)
  expect(stub.revoked).toEqual(new Set(['null', '30']))
  expect(await verdict({ dead: [], revoked: new Set(), immortal: [days] })).toBe(
    `fail a token ${how}: its revocation returned 200, and then a read 200`,
  )
  expect(await verdict({ immortal: [], revoked: new Set(), kept: [days] })).toContain(
    `fail a token ${how} cannot be revoked: 404 in each of 4 attempts`,
  )
})

test.each<[what: string, state: object]>([
  ['tokens that work until they are revoked', {}],
  ['rejected creations', { rejected: [null, 30], dead: [null, 30] }],
  ['a token that does not work, like one for a day', { dead: [30], outcome: 'unclear' }],
  ['a rate limited revocation', { kept: [30], keptStatus: 429 }],
  ['a rejected revocation by a session that cannot list tokens', { kept: [30], listStatus: 403 }],
])('%s: not reported', async (_, state) => {
  expect(await verdict(state)).toBe('inconclusive')
})

import { beforeEach, expect, test, vi } from 'vitest'
import { profileSchema } from '../../contract/profile.ts'
import type { Target } from '../../contract/scenario-config.ts'
import { judgeProbe } from '../lib/verdict/judge.ts'
import { mint } from './admin-mint.ts'

const stub = vi.hoisted(() => ({
  /** Statuses of a mint by program: of the administrator, and of everyone else. */
  statuses: {} as Record<string, readonly [administrator: number, others: number]>,
  minted: [] as string[],
}))

const replyOf = (status: number, json: unknown = {}) => ({ status, json, evidence: () => String(status) })
// Modules that need k6. Credentials are names.
vi.mock('../lib/identity/api-token.ts', () => ({
  withApiToken: (_: Target, __: object, use: (token: object) => Promise<void>) => use({ bearer: 'a token' }),
}))
vi.mock('../lib/identity/referral-codes.ts', () => ({ readCodes: async () => replyOf(200) }))
vi.mock('../lib/identity/session.ts', () => ({
  credentialRead: () => ({}),
  requireFullCredential: (session: string) => session,
  withSession: (_: Target, { address }: { address: string }, use: (session: string) => Promise<void>) =>
    use(address),
}))
vi.mock('../lib/identity/wallet.ts', () => ({
  requireAdministrator: () => ({ address: 'the administrator' }),
  walletFor: () => ({ address: 'another wallet' }),
}))
vi.mock('../lib/probe/watch-errors.ts', () => ({ errorWatch: { checkTwins: () => {} } }))
vi.mock('../lib/requests/request.ts', () => ({
  isError: ({ status }: { status: number }) => status >= 500,
  isSuccess: ({ status }: { status: number }) => status === 200,
  async request(_: Target, { body, credential }: { body?: Record<string, string>; credential: string }) {
    if (body === undefined)
      return replyOf(200, { data: Object.keys(stub.statuses).map((program) => ({ program })) })
    const program = body.amm_token_program ?? ''
    stub.minted.push(`${program} by ${credential}`)
    return replyOf(stub.statuses[program]?.[credential === 'the administrator' ? 0 : 1] ?? 404)
  },
}))
vi.mock('../lib/time/pause.ts', () => ({ pause: async (ms: number) => void ms }))
vi.mock('./writes-without-credential.ts', () => ({}))

beforeEach(() => Object.assign(stub, { statuses: {}, minted: [] }))

async function judgeMint(statuses: typeof stub.statuses): Promise<Record<string, string>> {
  Object.assign(stub, { statuses })
  const profile = profileSchema.parse({
    name: 'test',
    ...{ baseUrl: 'http://127.0.0.1:1', wsUrl: 'ws://127.0.0.1:1' },
    allow: { mutations: true },
    choices: { tokens: { list: 'data', ammTokenProgram: 'program' } },
  })
  const found: Record<string, string> = {}
  await judgeProbe({
    rules: mint.rules,
    getExpected: () => '',
    run: (judge) => mint.run({ profile } as Target, judge), // as: all that is read
    scenario: 'test',
    nowMs: () => 0,
    emit: ({ rule, verdict }) => {
      found[rule.replace('admin.mint.', '')] = verdict
    },
  })
  return found
}

test('an administrator who gets 403 for every token is reported', async () => {
  expect(await judgeMint({ 'a.aleo': [403, 403], 'b.aleo': [403, 403] })).toMatchObject({ works: 'fail' })
})

test.each([422, 404])('a 403 for one token and a %i for another are not reported', async (status) => {
  const found = await judgeMint({ 'a.aleo': [403, 403], 'b.aleo': [status, 403] })
  expect(new Set(Object.values(found))).toEqual(new Set(['inconclusive']))
})

test('a mint by others is reported although the administrator cannot mint', async () => {
  const found = await judgeMint({ 'a.aleo': [422, 422], 'b.aleo': [403, 200] })
  expect(found).toMatchObject({ 'session-only': 'fail', 'refused-to-others': 'fail', works: 'inconclusive' })
  expect(stub.minted.slice(2)).toEqual(['b.aleo by a token', 'b.aleo by another wallet'])
})

import { beforeEach, expect, test, vi } from 'vitest'
import { profileSchema } from '../../contract/profile.ts'
import type { Target } from '../../contract/scenario-config.ts'
import type { Reply } from '../lib/requests/request.ts'
import { judgeProbe } from '../lib/verdict/judge.ts'
import { judgeExact, judgeExistingRevision, judgeIds } from './routing.ts'

const exchange = vi.hoisted(() => ({ quoted: 0, state: 0, served: 0, stateReads: 0 }))

const replyWith = (status: number, json: unknown) =>
  ({ status, json, evidence: () => '' }) as unknown as Reply // as: only these are read

// Modules that need k6.
vi.mock('../lib/identity/credential.ts', () => ({}))
vi.mock('../lib/market/market.ts', () => ({
  readProtocolState: async (_: Target, minimum?: bigint) => {
    exchange.stateReads++
    return minimum === undefined || minimum <= BigInt(exchange.served)
      ? replyWith(200, { data: { revision: exchange.state } })
      : replyWith(503, { code: 'protocol_revision_pending' })
  },
  requestRoute: async () => replyWith(200, { data: { protocol_revision: exchange.quoted } }),
  listEvidence: () => [],
}))
vi.mock('../lib/requests/request.ts', () => ({ isSuccess: ({ status }: Reply) => status === 200 }))
vi.mock('../lib/time/pause.ts', () => ({ pause: async () => undefined }))

/** `null`: the profile has no choice for it. */
async function judgeHops(hops: readonly object[], path: string | null = 'data.hops') {
  const profile = profileSchema.parse({
    name: 'test',
    baseUrl: 'http://127.0.0.1:1',
    wsUrl: 'ws://127.0.0.1:1',
    choices: { route: { hops: path, hop: { pool: 'pool', tokenIn: 'in', tokenOut: 'out' } } },
  })
  const target = { profile } as Target // as: only its profile is read
  const reply = { json: { data: { hops } }, evidence: () => '' } as Reply // as: only these are read
  const pair = { tokenIn: 'a', tokenOut: 'b', distance: 1 }
  const verdicts: string[] = []
  await judgeProbe({
    rules: ['route.hops.exact-ids'],
    getExpected: () => '',
    run: async (judge) => judgeIds(target, judge, [{ pair, amountIn: '1', reply }]),
    scenario: 'test',
    nowMs: () => 0,
    emit: ({ verdict, needs }) => verdicts.push(needs === undefined ? verdict : `${verdict}: ${needs}`),
  })
  return verdicts.join()
}

const GOOD = { pool: 'p', in: 'a', out: 'b' }

test.each([
  ['strings', [GOOD, GOOD], 'pass'],
  ['a number', [GOOD, { ...GOOD, in: 7 }], 'fail'],
  ['null', [GOOD, { ...GOOD, pool: null }], 'fail'],
  ['an object', [{ ...GOOD, pool: { key: 'p' } }], 'fail'],
  ['a field that a hop does not have', [GOOD, { pool: 'p', in: 'a' }], 'pass'],
  ['none of the fields', [{ kind: 'swap' }], 'skipped: choice'],
])('pools and tokens of hops: %s', async (_, hops, verdict) => {
  expect(await judgeHops(hops)).toBe(verdict)
})

test('without the path of the hops, their ids need a choice', async () => {
  expect(await judgeHops([GOOD], null)).toBe('skipped: choice')
})

test.each([
  ['data.out', 'no amount out at data.out'],
  [null, 'the profile does not state choices.route.amountOut, the path of the amount out'],
])('without an amount out at %s, amounts need a choice', async (path, reason) => {
  const found: object[] = []
  const reply = replyWith(200, { data: {} })
  const route = { pair: { tokenIn: 'a', tokenOut: 'b', distance: 1 }, amountIn: '1', reply }
  await judgeProbe({
    rules: ['route.amount.exact'],
    getExpected: () => '',
    run: async (judge) => judgeExact(judge, [route], path),
    scenario: 'test',
    nowMs: () => 0,
    emit: (finding) => found.push(finding),
  })
  expect(found).toMatchObject([{ verdict: 'skipped', reason, needs: 'choice' }])
})

test.each([
  { data: { out: '1234' }, verdict: 'pass' },
  { data: { out: '1.2e-7' }, verdict: 'pass' },
  { data: { out: '1,234' }, verdict: 'fail' },
  { data: { out: '1234', hops: [{ price: '1 234' }] }, verdict: 'fail' },
  { data: { out: 1234 }, verdict: 'fail' },
])('amounts of the route $data: $verdict', async ({ data, verdict }) => {
  const route = {
    pair: { tokenIn: 'a', tokenOut: 'b', distance: 1 },
    amountIn: '1',
    reply: replyWith(200, { data }),
  }
  const verdicts: string[] = []
  await judgeProbe({
    rules: ['route.amount.exact'],
    getExpected: () => '',
    run: async (judge) => judgeExact(judge, [route], 'data.out'),
    scenario: 'test',
    nowMs: () => 0,
    emit: (finding) => verdicts.push(finding.verdict),
  })
  expect(verdicts).toEqual([verdict])
})

const profile = profileSchema.parse({
  name: 'test',
  baseUrl: 'http://127.0.0.1:1',
  wsUrl: 'ws://127.0.0.1:1',
  choices: {
    route: { protocolRevision: 'data.protocol_revision' },
    protocolState: { revision: 'data.revision' },
  },
})
const TARGET = { profile } as Target // as: only its profile is read

async function judgeRevisions(first: number) {
  const verdicts: string[] = []
  const reply = replyWith(200, { data: { protocol_revision: first } })
  const found = [{ pair: { tokenIn: 'a', tokenOut: 'b', distance: 1 }, amountIn: '1', reply }]
  await judgeProbe({
    rules: ['route.revision.present'],
    getExpected: () => '',
    run: async (judge) => {
      await judgeExistingRevision(TARGET, judge, { found, credential: { bearer: 'b' } })
      judge.pass('route.revision.present', 'present')
    },
    scenario: 'test',
    nowMs: () => 0,
    emit: ({ verdict }) => verdicts.push(verdict),
  })
  return verdicts.join()
}

beforeEach(() => Object.assign(exchange, { quoted: 7, state: 7, served: 7, stateReads: 0 }))

test.each([
  { why: 'is that of the state', quoted: 7 },
  { why: 'is older', quoted: 3 },
  { why: 'is one ahead of a replica', quoted: 8 },
  { why: 'is served as a minimum', quoted: 5000, served: 5000 },
])('passes if the revision of a route $why', async ({ quoted, served = 7 }) => {
  Object.assign(exchange, { quoted, served })
  expect(await judgeRevisions(quoted)).toBe('pass')
})

test('fails if it is far above that of the state, which is pending', async () => {
  exchange.quoted = 1_000_000_000
  expect(await judgeRevisions(1_000_000_000)).toBe('fail')
})

test('passes if only the first route has it', async () => {
  expect(await judgeRevisions(1_000_000_000)).toBe('pass')
})

test('reads the state once if all is well', async () => {
  await judgeRevisions(7)
  expect(exchange.stateReads).toBe(1)
})

import { beforeEach, expect, test, vi } from 'vitest'
import { profileSchema } from '../../contract/profile.ts'
import type { Target } from '../../contract/scenario-config.ts'
import type { Market } from '../lib/market/market.ts'
import type { Reply } from '../lib/requests/request.ts'
import { judgeProbe } from '../lib/verdict/judge.ts'
import { judgeConnected } from './route-checks.ts'

const exchange = vi.hoisted(() => ({ route: [] as string[], records: {} as Record<string, string> }))

/** The key of a pool, then the tokens that the hop shows: "one ab". */
const hop = vi.hoisted(() => (text: string) => {
  const [key, tokens = ''] = text.split(' ')
  return { pool: key, in: tokens[0], out: tokens[1] }
})

vi.mock('../lib/requests/request.ts', () => ({
  request: async (_: Target, { path }: { path: string }) => {
    const tokens = exchange.records[path.slice('/pools/'.length)]
    const json =
      path === '/route'
        ? { data: { hops: exchange.route.map(hop) } }
        : { data: { token0: tokens?.[0], token1: tokens?.[1] } }
    return { status: path === '/route' || tokens !== undefined ? 200 : 404, json, evidence: () => path }
  },
}))
vi.mock('../lib/identity/credential.ts', () => ({}))
vi.mock('../lib/world/control.ts', () => ({}))
vi.mock('../lib/time/pause.ts', () => ({ pause: async () => undefined }))

const pool = ([token0 = '', token1 = '']: string) => [token0, token1] as const

const RULE = 'route.hops.exact-ids'
const profile = profileSchema.parse({
  name: 'test',
  baseUrl: 'http://127.0.0.1:1',
  wsUrl: 'ws://127.0.0.1:1',
  choices: { route: { hops: 'data.hops', hop: { pool: 'pool', tokenIn: 'in', tokenOut: 'out' } } },
})
const TARGET = { profile } as Target // as: only its profile is read

/** Judges a route from a to d. `rows` are the tokens of the explore rows by key. */
async function judgeRoute(rows: Record<string, string>) {
  const market = {
    poolTokens: new Map(Object.entries(rows).map(([key, tokens]) => [key, pool(tokens)])),
  } as unknown as Market // as: only these are read
  const json = { data: { hops: exchange.route.map(hop) } }
  const reply = { status: 200, json, evidence: () => '' } as unknown as Reply // as: only these are read
  const found = [{ pair: { tokenIn: 'a', tokenOut: 'd', distance: 2 }, amountIn: '1', reply }]
  const verdicts: string[] = []
  await judgeProbe({
    rules: [RULE],
    getExpected: () => '',
    run: async (judge) => {
      await judgeConnected(TARGET, judge, { rule: RULE, found, market, credential: { bearer: 'b' } })
      judge.pass(RULE, 'connected')
    },
    scenario: 'test',
    nowMs: () => 0,
    emit: ({ verdict }) => verdicts.push(verdict),
  })
  return verdicts.join()
}

beforeEach(() => Object.assign(exchange, { route: ['one', 'two'], records: { one: 'ab', two: 'bd' } }))

test('a route whose pools connect its tokens passes', async () => {
  expect(await judgeRoute({ one: 'ab', two: 'bd' })).toBe('pass')
})

test('a route that ends elsewhere fails, whatever the order of the tokens of a row', async () => {
  exchange.records.two = 'bc'
  expect(await judgeRoute({ one: 'ba', two: 'cb' })).toBe('fail')
})

test.each([
  { why: 'of a row that contradicts the record', rows: { one: 'ab', two: 'bb' } },
  { why: 'of a pool without a row', rows: { one: 'ab' } },
])('proves nothing from the tokens $why', async ({ rows }) => {
  expect(await judgeRoute(rows)).toBe('pass')
})

test('leaves a route with more than three hops to another rule', async () => {
  const [records, rows] = [
    { one: 'ab', two: 'bc' },
    { one: 'ab', two: 'bc' },
  ]
  Object.assign(exchange, { records, route: ['one', 'two', 'one', 'two'] })
  expect(await judgeRoute(rows)).toBe('pass')
})

test('proves nothing if the record of a pool is not served', async () => {
  exchange.records = { one: 'ab' }
  expect(await judgeRoute({ one: 'ab', two: 'bc' })).toBe('pass')
})

test.each([
  { route: ['one ab', 'two bd'], verdict: 'pass' },
  { route: ['two bd', 'one ab'], verdict: 'pass' },
  { route: ['one ba', 'two db'], verdict: 'fail' },
  { route: ['one ab', 'two db'], verdict: 'fail' },
  { route: ['one ab', 'two'], verdict: 'pass' },
  { route: ['one BA', 'two DB'], verdict: 'pass' },
])('a route over $route: $verdict', async ({ route, verdict }) => {
  exchange.route = route
  expect(await judgeRoute({ one: 'ab', two: 'bd' })).toBe(verdict)
})

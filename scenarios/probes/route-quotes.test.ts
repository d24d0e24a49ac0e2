import { beforeEach, expect, test, vi } from 'vitest'
import { profileSchema } from '../../contract/profile.ts'
import type { Target } from '../../contract/scenario-config.ts'
import type { RouteReply } from '../lib/market/market.ts'
import type { Reply } from '../lib/requests/request.ts'
import { judgeProbe } from '../lib/verdict/judge.ts'
import { judgeAmountUsed, judgeDirection } from './route-quotes.ts'

type Request = { pair: { tokenIn: string; tokenOut: string }; amountIn: string }

const exchange = vi.hoisted(() => ({
  requests: 0,
  quote: (_: Request): unknown => undefined,
  /** Routes that are being computed, by pair, if requests share them. */
  shared: undefined as Map<string, Promise<unknown>> | undefined,
}))

vi.mock('../lib/market/market.ts', () => ({
  listEvidence: () => [],
  requestRoute: async (_: Target, request: Request) => {
    exchange.requests++
    const { tokenIn, tokenOut } = request.pair
    const key = `${tokenIn} ${tokenOut}`
    const json = exchange.shared?.get(key) ?? Promise.resolve(exchange.quote(request))
    exchange.shared?.set(key, json)
    const reply = { json: await json, evidence: () => '' }
    exchange.shared?.delete(key)
    return reply
  },
}))
vi.mock('../lib/requests/request.ts', () => ({}))
vi.mock('../lib/time/pause.ts', () => ({ pause: async () => undefined }))

const profile = profileSchema.parse({
  name: 'test',
  baseUrl: 'http://127.0.0.1:1',
  wsUrl: 'ws://127.0.0.1:1',
  choices: {
    route: { hops: 'data.hops', amountOut: 'data.out', hop: { pool: 'pool', tokenIn: 'in' } },
  },
})
const TARGET = { profile } as Target // as: only its profile is read
const UNIT = '1000000'

/** The route of a pair through the pool of its two tokens. */
function routeOf({ tokenIn, tokenOut }: Request['pair'], out: string) {
  const pool = [tokenIn, tokenOut].sort().join('')
  return { data: { out, hops: [{ pool, in: tokenIn }] } }
}

async function judge(check: typeof judgeDirection, pairs = ['ab', 'cd', 'ef'], out = '9970') {
  const verdicts: string[] = []
  await judgeProbe({
    rules: ['rule'],
    getExpected: () => '',
    run: async (judge) => {
      const found = pairs.map(([tokenIn = '', tokenOut = '']): RouteReply => {
        const pair = { tokenIn, tokenOut, distance: 1 }
        const reply = { json: routeOf(pair, out), evidence: () => '' } as unknown as Reply // as: only these are read
        return { pair, amountIn: UNIT, reply }
      })
      await check(TARGET, judge, { rule: 'rule', found, credential: { bearer: 'b' } })
      judge.pass('rule', '')
    },
    scenario: 'test',
    nowMs: () => 0,
    emit: ({ verdict }) => verdicts.push(verdict),
  })
  return verdicts.join()
}

const sameOut = ({ pair }: Request) => routeOf(pair, '9970')
const byAmount = ({ pair, amountIn }: Request) => routeOf(pair, amountIn === UNIT ? '9970' : '9960')
const sorted = ({ pair: { tokenIn, tokenOut } }: Request) => {
  const [first = '', second = ''] = [tokenIn, tokenOut].sort()
  return routeOf({ tokenIn: first, tokenOut: second }, '9970')
}

beforeEach(() => Object.assign(exchange, { requests: 0, quote: sameOut, shared: undefined }))

test('fails if three pairs get the same output for every amount', async () => {
  expect(await judge(judgeAmountUsed)).toBe('fail')
})

test('fails if concurrent requests for three pairs share a response', async () => {
  Object.assign(exchange, { quote: byAmount, shared: new Map() })
  expect(await judge(judgeAmountUsed)).toBe('fail')
})

test('passes after one pair if a smaller amount gets another output', async () => {
  exchange.quote = byAmount
  expect(await judge(judgeAmountUsed)).toBe('pass')
  expect(exchange.requests).toBe(3)
})

test.each([
  { why: 'the third pair differs', isOther: ({ pair }: Request) => pair.tokenIn === 'e' },
  { why: 'only the smallest amount differs', isOther: ({ amountIn }: Request) => amountIn === '1' },
])('passes if $why', async ({ isOther }) => {
  exchange.quote = (request) =>
    isOther(request) ? routeOf(request.pair, `${request.amountIn}000`) : sameOut(request)
  expect(await judge(judgeAmountUsed)).toBe('pass')
})

test.each([
  { why: 'two pairs', pairs: ['ab', 'cd'] },
  { why: 'pairs through one pool', pairs: ['ab', 'ba', 'cd'] },
  { why: 'outputs below 1,000', out: '999' },
  { why: 'outputs with a fraction', out: '9970.5' },
])('proves nothing from $why', async ({ pairs, out }) => {
  expect(await judge(judgeAmountUsed, pairs, out)).toBe('pass')
  expect(exchange.requests).toBe(0)
})

test('fails if three pairs get the same route in both directions', async () => {
  exchange.quote = sorted
  expect(await judge(judgeDirection)).toBe('fail')
})

test('passes after two quotes if hops have a direction, even with equal outputs', async () => {
  expect(await judge(judgeDirection)).toBe('pass')
  expect(exchange.requests).toBe(2)
})

test('passes if only the token of a hop has no direction', async () => {
  exchange.quote = (request) => {
    const { data } = sorted(request)
    return { data: { ...data, out: request.pair.tokenIn === data.hops[0]?.in ? '9970' : '1003' } }
  }
  expect(await judge(judgeDirection)).toBe('pass')
})

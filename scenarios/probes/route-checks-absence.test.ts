import { expect, test, vi } from 'vitest'
import { profileSchema } from '../../contract/profile.ts'
import type { Target } from '../../contract/scenario-config.ts'
import type { Market, RouteReply } from '../lib/market/market.ts'
import { judgeProbe } from '../lib/verdict/judge.ts'
import { createIsNone, judgeAbsence } from './route-checks.ts'

// Modules that need k6.
vi.mock('../lib/market/market.ts', () => ({
  listEvidence: () => [],
  requestRoute: async (_: Target, { pair, amountIn }: { pair: { tokenOut: string }; amountIn: string }) =>
    found(STATUSES[amountIn] ?? STATUSES[pair.tokenOut] ?? 404),
}))
vi.mock('../lib/requests/request.ts', () => ({
  isError: ({ status }: { status: number }) => status === 0 || status >= 500,
  isSuccess: ({ status }: { status: number }) => status >= 200 && status < 300,
}))
vi.mock('../lib/time/pause.ts', () => ({ pause: async () => undefined }))

/** The status of each route, by the amount, or by the token out. */
const STATUSES: Record<string, number> = {}
const found = (status: number) => ({ status, json: undefined, evidence: () => '' })

const profile = profileSchema.parse({
  name: 'test',
  baseUrl: 'http://127.0.0.1:1',
  wsUrl: 'ws://127.0.0.1:1',
  choices: { route: { hops: 'data.hops' } },
})
const reply = (data: unknown, status = 200) => ({ reply: { status, json: { data } } })
const ROUTED = reply({ hops: [{}] })

test.each([
  ['a null payload', reply(null), true],
  ['no hops', reply({ hops: [] }), true],
  ['a hop', ROUTED, false],
  ['no list of hops', reply({}), false],
  ['no hops in a rejection', reply({ hops: [] }, 404), false],
])('a reply with %s is no route: %s', (_, one, expected) => {
  expect(createIsNone({ profile }, [ROUTED, one])(one.reply)).toBe(expected)
})

test('a list that is empty in every route may be another list', () => {
  const one = reply({ hops: [] })
  expect(createIsNone({ profile }, [one, one])(one.reply)).toBe(false)
})

/** Judges routes to tokens that no three pools connect, with these statuses. */
async function judgeFar(statuses: readonly number[]) {
  const requested = statuses.map((status, index) => {
    STATUSES[`far${index}`] = status
    return {
      pair: { tokenIn: 'a', tokenOut: `far${index}`, distance: 4 },
      amountIn: '1',
      reply: found(status),
    }
  }) as unknown as RouteReply[] // as: only these are read
  const market = { tokens: ['a', 'b'], getUnit: () => '1' } as unknown as Market // as: only these are read
  const verdicts: string[] = []
  await judgeProbe({
    rules: ['route.none.404'],
    getExpected: () => '',
    run: (judge) =>
      judgeAbsence({ profile } as Target, judge, {
        requested,
        isNone: () => false,
        market,
        credential: { bearer: 'b' },
      }), // as: only its profile is read
    scenario: 'test',
    nowMs: () => 0,
    emit: ({ verdict }) => verdicts.push(verdict),
  })
  return verdicts.join()
}

test.each([
  { statuses: [404, 404], verdict: 'pass' },
  { statuses: [404, 451], verdict: 'pass' },
  { statuses: [403, 451], verdict: 'inconclusive' },
  { statuses: [404, 400], verdict: 'fail' },
  { statuses: [404, 500], verdict: 'fail' },
  { statuses: [204], verdict: 'fail' },
])('$verdict if pairs without a route get $statuses', async ({ statuses, verdict }) => {
  expect(await judgeFar(statuses)).toBe(verdict)
})

test.each([24, 40])('an error for an amount of 10^%i fails', async (digits) => {
  const amountIn = `1${'0'.repeat(digits)}`
  STATUSES[amountIn] = 500
  expect(await judgeFar([200])).toBe('fail')
  delete STATUSES[amountIn]
})

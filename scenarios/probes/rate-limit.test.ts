import { beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import type { Finding } from '../../contract/finding.ts'
import { type Choices, profileSchema } from '../../contract/profile.ts'
import type { Target } from '../../contract/scenario-config.ts'
import { judgeProbe } from '../lib/verdict/judge.ts'
import { rateLimit } from './rate-limit.ts'

const LIMIT = { burst: 2000, perSecond: 1000, per: 'credential' } as const
const AT_ONCE = 50

const exchange = vi.hoisted(() => ({
  sent: 0,
  msPerRequest: 0,
  getStatus: (_sent: number): number => 200,
  getRetryAfter: (_sent: number): string | undefined => undefined,
  waitsMs: [] as number[],
  checked: [] as number[],
}))
// Modules that need k6.
vi.mock('k6/execution', () => ({ default: {} }))
vi.mock('../lib/config.ts', () => ({ config: { given: false, mix: null } }))
vi.mock('../lib/identity/credential.ts', () => ({ readCredential: async () => ({ bearer: 'x' }) }))
vi.mock('../lib/probe/watch-errors.ts', () => ({
  errorWatch: {
    checkTwins: (_: object, replies: readonly { status: number }[]) => {
      exchange.checked = replies.map(({ status }) => status)
    },
  },
}))
vi.mock('../lib/verdict/judge.ts', async (original) => ({ ...(await original()), reportWaiting() {} }))
vi.mock('../lib/world/control.ts', () => ({
  elapse: async (_: unknown, ms: number) => exchange.waitsMs.push(ms),
}))
vi.mock('../lib/time/pause.ts', () => ({ pause: async () => {} }))
vi.mock('../lib/requests/request.ts', () => ({
  isError: ({ status }: { status: number }) => status === 0 || status >= 500,
  isSuccess: ({ status }: { status: number }) => status === 200,
  mustBeLeft() {},
  async send(_: unknown, { path }: { path: string }) {
    if (path === '/tokens') return { status: 200 }
    exchange.sent++
    vi.setSystemTime(Date.now() + exchange.msPerRequest)
    const headers = { 'retry-after': exchange.getRetryAfter(exchange.sent) }
    return { status: exchange.getStatus(exchange.sent), headers, evidence: () => '' }
  },
}))

beforeEach(() => {
  vi.useFakeTimers({ now: 0, toFake: ['Date'] })
  onTestFinished(() => void vi.useRealTimers())
  Object.assign(exchange, { sent: 0, msPerRequest: 0, getStatus: () => 200, waitsMs: [] })
  exchange.getRetryAfter = () => undefined
})

test.each([
  { many: 1, sent: 2051 },
  { many: 5, sent: 2001 },
])('checks two 429, also if the burst gets $many', async ({ many, sent }) => {
  exchange.getStatus = (number) => (number > 2050 - many ? 429 : 200)
  await findings()
  expect(exchange.checked).toEqual([429, 429])
  expect(exchange.sent).toBeGreaterThanOrEqual(sent)
})

async function findings(limit: Choices['rateLimit'] = LIMIT) {
  return (await judged(limit)).map(({ rule, verdict, reason }) => `${rule} ${verdict} ${reason ?? ''}`)
}

async function judged(limit: Choices['rateLimit'] = LIMIT) {
  const profile = profileSchema.parse({
    name: 'test',
    baseUrl: 'http://127.0.0.1:1',
    wsUrl: 'ws://127.0.0.1:1',
    choices: { rateLimit: limit },
  })
  const target = { profile } as Target // as: only its profile is read
  const found: Finding[] = []
  await judgeProbe({
    rules: rateLimit.rules,
    getExpected: () => '',
    run: (judge) => rateLimit.run(target, judge),
    scenario: 'test',
    nowMs: () => 0,
    emit: (finding) => void found.push(finding),
  })
  return found
}

test('gives up after two seconds if it sends no faster than the limit refills, and says so', async () => {
  exchange.msPerRequest = 2
  const why =
    'inconclusive cannot send faster than the limit refills: 1000 requests in 2000 ms are 500 per second, and it refills 1000 per second'
  expect(await findings()).toEqual([`rate-limit.burst.429 ${why}`, `rate-limit.wait.recovers ${why}`])
  expect(exchange.sent).toBe(1000 + AT_ONCE)
})

test('a slow start does not give up: a 429 counts as soon as it comes', async () => {
  exchange.msPerRequest = 30
  exchange.getStatus = (sent) => (sent === AT_ONCE + 1 ? 429 : 200)
  expect(await findings()).toEqual(['rate-limit.burst.429 pass ', 'rate-limit.wait.recovers pass '])
})

test('faster than that, it continues until the 429 comes or is overdue', async () => {
  exchange.msPerRequest = 0.8
  await findings()
  expect(exchange.sent).toBe(2 * LIMIT.burst + AT_ONCE)
})

test.each([
  ['lasts', Number.POSITIVE_INFINITY, 'fail'],
  ['goes away', 5, 'pass'],
])('an error after the wait that %s', async (_, errors, verdict) => {
  exchange.getStatus = (sent) => {
    if (sent <= AT_ONCE) return sent === AT_ONCE ? 429 : 200
    return sent <= AT_ONCE + errors ? 500 : 200
  }
  expect(await findings()).toEqual(['rate-limit.burst.429 pass ', `rate-limit.wait.recovers ${verdict} `])
})

test.each<[string, string[], limited: number, waitsMs: number[], verdict: string]>([
  ['each time', ['3', '5', '7', '9'], 3, [3000, 5000, 7000], 'fail'],
  ['each time, and the last one helps', ['3', '5', '7'], 2, [3000, 5000, 7000], 'pass'],
  ['never', [], 3, [2000, 2000, 2000], 'inconclusive'],
  ['at first', ['3'], 3, [3000, 2000, 2000], 'inconclusive'],
])('429 after the wait, which is stated %s', async (_, stated, limited, waitsMs, verdict) => {
  // Two in the burst, so that none is sent only for its body.
  exchange.getStatus = (sent) => (sent >= AT_ONCE - 1 && sent <= AT_ONCE + limited ? 429 : 200)
  exchange.getRetryAfter = (sent) => stated[Math.max(0, sent - AT_ONCE)]
  expect((await judged())[1]).toMatchObject({ rule: 'rate-limit.wait.recovers', verdict })
  expect(exchange.waitsMs).toEqual(waitsMs)
})

/** The position in this burst, or in the next one, which the waits allow. */
const inBurst = (sent: number) =>
  sent <= 2 * LIMIT.burst + AT_ONCE ? sent : sent - 2 * LIMIT.burst - AT_ONCE - 1

test.each([
  ['served after it, did not get its 429', 200, 'fail'],
  ['rejected after it too, says nothing about the limit', 400, 'inconclusive'],
])('a request rejected with another status in a burst, and %s', async (_, after, verdict) => {
  exchange.getStatus = (sent) => {
    if (sent <= LIMIT.burst) return 200
    return sent <= 2 * LIMIT.burst + AT_ONCE ? 400 : after
  }
  expect((await findings())[0]).toContain(`rate-limit.burst.429 ${verdict}`)
})

test.each([
  ['at the limit each time', (sent: number) => inBurst(sent) > LIMIT.burst, 'fail'],
  ['at the limit once', (sent: number) => sent > LIMIT.burst && inBurst(sent) === sent, 'inconclusive'],
  ['all along', (sent: number) => sent % 3 !== 0, 'inconclusive'],
])('errors %s', async (_, errs, verdict) => {
  exchange.getStatus = (sent) => (errs(sent) ? 503 : 200)
  expect((await findings())[0]).toContain(`rate-limit.burst.429 ${verdict}`)
})

test('errors at a small limit, if one of several concurrent requests overtakes another', async () => {
  const most = 2 * 40 + 10
  exchange.getStatus = (sent) => {
    const at = sent <= most ? sent : sent - most - 1
    return at === 31 || at > 41 ? 503 : 200
  }
  const found = await findings({ burst: 40, perSecond: 20, per: 'credential' })
  expect(found[0]).toContain('rate-limit.burst.429 fail')
})

test('says what was returned instead of a 429', async () => {
  const seen = '4050 requests in 0 ms, 2000 of them served, 2050 returned 503'
  exchange.getStatus = (sent) => (inBurst(sent) > LIMIT.burst ? 503 : 200)
  expect((await judged())[0]).toMatchObject({ verdict: 'fail', observed: `${seen}, none rate limited (429)` })

  exchange.sent = 0
  exchange.getStatus = (sent) => (sent > LIMIT.burst && inBurst(sent) === sent ? 503 : 200)
  expect((await judged())[0]).toMatchObject({
    verdict: 'inconclusive',
    reason: `no 429, but the served requests do not exceed the limit of 2000 and 1000 per second: ${seen}`,
  })
})

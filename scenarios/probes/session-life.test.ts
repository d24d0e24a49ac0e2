import { beforeEach, expect, test, vi } from 'vitest'
import type { Target } from '../../contract/scenario-config.ts'
import { judgeProbe } from '../lib/verdict/judge.ts'
import { judgeOld, judgeYoung } from './session-life.ts'

type Outcome = 'served' | 'refused' | 'unclear'

const MINUTE_MS = 60_000
const stub = vi.hoisted(() => ({
  outcomes: {} as Record<string, Outcome>,
  alive: [] as string[],
  servedReads: [] as object[],
  nowMs: 0,
}))

const reply = { evidence: () => '' }
// Modules that need k6. A session is its name, and its credential too.
vi.mock('../lib/identity/api-token.ts', () => ({}))
vi.mock('../lib/identity/session.ts', () => ({
  getCredential: (name: string) => name,
  isAlive: async (_: Target, name: string) => ({ alive: stub.alive.includes(name), reply }),
}))
vi.mock('../lib/identity/still-served.ts', () => ({
  isStillServed: async (_: Target, name: string) => ({
    outcome: stub.outcomes[name] ?? 'served',
    reply,
    explanation: 'seen',
  }),
  findWrongRefusal: async () => undefined,
}))
vi.mock('../lib/identity/wallet.ts', () => ({}))
vi.mock('../lib/requests/request.ts', () => ({}))
vi.mock('../lib/time/pause.ts', () => ({ pause: async () => {} }))
vi.mock('../lib/world/control.ts', () => ({ nowMs: async () => stub.nowMs }))
vi.mock('./reads-served.ts', () => ({ readsServedToExpired: async () => stub.servedReads }))

beforeEach(() =>
  Object.assign(stub, { outcomes: {}, alive: [], servedReads: [], nowMs: 14 * MINUTE_MS + 5000 }),
)

type Aged = Parameters<typeof judgeOld>[2]

const AGED = { session: 'session', atMs: 0, refreshed: { session: 'refreshed', atMs: 0 }, fresh: 'fresh' }

async function verdict(
  rule: string,
  judgeAged: typeof judgeOld,
  aged: object = AGED,
): Promise<string | undefined> {
  let found: string | undefined
  await judgeProbe({
    rules: [rule],
    getExpected: () => '',
    run: (judge) => judgeAged({} as Target, judge, aged as Aged), // as: sessions are names
    scenario: 'test',
    nowMs: () => 0,
    emit: ({ verdict, observed, reason }) => {
      found = `${verdict}: ${reason ?? observed}`
    },
  })
  return found
}

test.each<[Partial<Record<string, Outcome>>, string, minutes?: number]>([
  [{}, 'pass: alive after 14 minutes'],
  [{ session: 'refused' }, 'fail: ended after 14 minutes: seen'],
  [{ session: 'refused' }, 'inconclusive: not served at first: seen', 15],
  [{ session: 'unclear' }, 'inconclusive: not served at first: seen'],
  [{ refreshed: 'refused' }, 'fail: ended 14 minutes after a refresh: seen'],
  [{ refreshed: 'unclear' }, 'inconclusive: a refreshed session was not served at first: seen'],
  [{ refreshed: 'refused' }, 'inconclusive: a refreshed session was not served at first: seen', 15],
])('sessions that are %j after 14 minutes: %s', async (outcomes, expected, minutes) => {
  Object.assign(stub, { outcomes }, minutes === undefined ? {} : { nowMs: minutes * MINUTE_MS })
  expect(await verdict('auth.session.lives-15-min', judgeYoung)).toBe(expected)
})

test.each<[alive: string[], servedReads: number, expected: string]>([
  [[], 0, 'pass: ended after 16 minutes; its access cookie then gets 0 reads'],
  [['session'], 0, 'fail: alive after 16 minutes'],
  [['refreshed'], 0, 'fail: alive 16 minutes after a refresh'],
  [[], 2, 'fail: ended after 16 minutes; its access cookie then gets 2 reads'],
])('after 16 minutes with %j alive, and %i reads: %s', async (alive, servedReads, expected) => {
  Object.assign(stub, { alive, servedReads: Array(servedReads).fill(reply) })
  expect(await verdict('auth.session.expires-15-min', judgeOld)).toBe(expected)
})

test('a session that could not be refreshed is not judged', async () => {
  Object.assign(stub, { outcomes: { refreshed: 'refused' }, alive: ['refreshed'] })
  const aged = { ...AGED, refreshed: undefined }
  expect(await verdict('auth.session.lives-15-min', judgeYoung, aged)).toBe('pass: alive after 14 minutes')
  expect(await verdict('auth.session.expires-15-min', judgeOld, aged)).toMatch('pass: ')
})

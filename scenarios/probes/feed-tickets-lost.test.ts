import { beforeEach, expect, test, vi } from 'vitest'
import type { Target } from '../../contract/scenario-config.ts'
import type { Feed } from '../lib/feed/feed.ts'
import { judgeProbe } from '../lib/verdict/judge.ts'
import { judgeLost } from './feed-tickets.ts'

/** Sockets are lost, served or closed by their place; `cuts`: the verdict of judgeCuts. */
const world = vi.hoisted(() => ({
  ...{ opened: 0, renewed: [] as string[], cuts: 'inconclusive' as 'fail' | 'inconclusive' },
  ...{ lost: [] as number[], served: [] as number[], closed: [] as number[] },
}))
const find = (list: number[], feed: Feed) => list.includes((feed as unknown as { place: number }).place) // as: made below

// Modules that need k6.
vi.mock('./feed-kept-rooms.ts', () => ({}))
vi.mock('../lib/config.ts', () => ({ config: {} }))
vi.mock('../lib/feed/feed.ts', () => ({
  openFeed: async () => ({ place: world.opened++, close() {}, evidence: () => [] }),
}))
vi.mock('../lib/feed/served-feed.ts', () => ({
  LOST: 'lost',
  authenticate: async (feed: { place: number }, ticket: string) =>
    void (ticket === 'fresh' && world.renewed.push(`socket ${feed.place}`)),
  isLost: (feed: Feed) => find(world.lost, feed),
  isServed: async () => true,
  takeTicket: async () => ({ ticket: 'fresh' }),
  tryTwice: (once: (authenticate: () => Promise<void>) => Promise<object>) => once(async () => {}),
}))
vi.mock('../lib/identity/credential.ts', () => ({}))
vi.mock('../lib/identity/session.ts', () => ({}))
vi.mock('../lib/identity/sign-in-too.ts', () => ({}))
vi.mock('./feed-renewals.ts', () => ({
  async judgeCuts(_: Target, judge: Judge) {
    if (world.cuts === 'fail') judge.fail('ws.ticket.renewal', 'cut')
    judge.inconclusive('ws.ticket.renewal', 'lost')
  },
}))
vi.mock('../lib/time/has-control.ts', () => ({}))
vi.mock('../lib/world/control.ts', () => ({}))
vi.mock('./feed-ticket-checks.ts', async (importOriginal) => ({
  ...(await importOriginal<object>()),
  judgeExpiry: async () => {},
  async judgeEnd(judge: Judge, feed: Feed) {
    judge.that('ws.ticket.ends-connection', find(world.closed, feed), 'end')
  },
  async judgeRenewal(_: Target, judge: Judge, { renewed }: { renewed: Feed }) {
    judge.that('ws.ticket.renewal', find(world.served, renewed), 'renewal')
    return find(world.served, renewed)
  },
}))

type Judge = Parameters<Parameters<typeof judgeProbe>[0]['run']>[0]

beforeEach(() => {
  Object.assign(world, { opened: 0, renewed: [], cuts: 'inconclusive', lost: [], served: [1], closed: [0] })
})

async function judge(takenMs = 0, untilMs: number[] = []): Promise<string[]> {
  const found: string[] = []
  const mine = {
    credential: { bearer: 'x' },
    young: ['d', 'c', 'b', 'a'],
    idle: { evidence: () => [] },
    takenMs,
  }
  const lost = { mine, age: { ms: () => 50_000, until: async (ms: number) => void untilMs.push(ms) } }
  await judgeProbe({
    rules: ['ws.ticket.ends-connection', 'ws.ticket.renewal'],
    getExpected: () => '',
    run: (judge) => judgeLost({} as Target, judge, lost as unknown as Parameters<typeof judgeLost>[2]), // as: the only parts used
    scenario: 'test',
    nowMs: () => 0,
    emit: ({ rule, verdict }) => found.push(`${rule.replace('ws.ticket.', '')} ${verdict}`),
  })
  return found
}

test('after a restart, two sockets with old tickets show how they end and how they are renewed', async () => {
  expect([await judge(), world.renewed]).toEqual([['ends-connection pass', 'renewal pass'], ['socket 1']])
})

test.each([
  ['stays open', { closed: [] }, 'ends-connection fail'],
  ['is not served after its renewal', { served: [] }, 'renewal fail'],
  ['is lost too', { lost: [1] }, 'renewal inconclusive'],
  ['is lost too, as others', { lost: [1], cuts: 'fail' }, 'renewal fail'],
])('a socket that %s', async (_, state, expected) => {
  Object.assign(world, state)
  expect(await judge()).toContain(expected)
})

test('tickets count as old 75 s after the last of them was issued', async () => {
  const untilMs: number[] = []
  await judge(16_000, untilMs)
  expect(untilMs).toEqual([91_000])
})

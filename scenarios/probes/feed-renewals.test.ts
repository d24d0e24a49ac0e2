import { beforeEach, expect, test, vi } from 'vitest'
import type { Target } from '../../contract/scenario-config.ts'
import type { Feed } from '../lib/feed/feed.ts'
import { judgeProbe, reportFailuresOnly } from '../lib/verdict/judge.ts'
import { judgeLongLived } from './feed-renewals.ts'

const RULES = ['ws.ticket.ends-connection', 'ws.ticket.renewal']
const RENEWED_MS = 50_000

type Socket = { name: string; endsMs: number; sent: string[] }
const world = vi.hoisted(() => ({ nowMs: 0, tickets: 0, restarted: '' }))
const isOpen = ({ endsMs }: Pick<Socket, 'endsMs'>) => world.nowMs < endsMs

// Modules that need k6.
vi.mock('../lib/identity/session.ts', () => ({}))
vi.mock('../lib/identity/wallet.ts', () => ({}))
vi.mock('../lib/feed/feed.ts', () => ({}))
vi.mock('../lib/feed/served-feed.ts', async () => {
  const { CannotJudge } = await import('../lib/verdict/judge.ts')
  return {
    authenticate: async (feed: Socket, token: string) => void feed.sent.push(`${world.nowMs} ${token}`),
    takeTicket: async () => ({ ticket: `ticket ${++world.tickets}` }),
    isServed: async (feed: Socket) => isOpen(feed),
    isLost: () => false,
    mustServe: async () => {},
    throwIfRestarted({ name }: Socket) {
      if (name === world.restarted) throw new CannotJudge('restarted')
    },
  }
})
vi.mock('../lib/probe/retry-check.ts', () => ({}))
vi.mock('../lib/world/control.ts', () => ({}))

beforeEach(() => void Object.assign(world, { nowMs: 75_000, tickets: 0, restarted: '' }))

function openSocket(name: string, endsMs: number) {
  const socket: Socket = { name, endsMs, sent: [] }
  const feed = {
    ...socket,
    closed: () => (isOpen(socket) ? undefined : { code: 4001, reason: '' }),
    until: async () => false,
    close() {},
    evidence: () => [],
  }
  return feed as unknown as Feed & Socket // as: what is used of it
}

const RIGHT = { renewed: 110_000, twice: 160_000, stale: 110_000 }
const NEVER = 1e9

async function judge(ends: typeof RIGHT, expired: string | null = 'old') {
  const [renewed, twice, stale] = [
    openSocket('renewed', ends.renewed),
    openSocket('twice', ends.twice),
    openSocket('stale', ends.stale),
  ]
  const age = {
    ms: () => world.nowMs,
    async until(ms: number) {
      world.nowMs = ms
    },
  }
  const found: string[] = []
  await judgeProbe({
    rules: RULES,
    getExpected: () => '',
    run: (judge) =>
      judgeLongLived({} as Target, reportFailuresOnly(judge), {
        ...{ credential: { bearer: 'x' }, age, renewed, twice, stale, renewedAtMs: RENEWED_MS },
        expired: expired ?? undefined,
      }), // as: only its identity is used
    scenario: 'test',
    nowMs: () => 0,
    emit: ({ rule, verdict, observed }) => {
      if (verdict === 'fail') found.push(`${rule}: ${observed}`)
    },
  })
  return { found, sent: { twice: twice.sent, stale: stale.sent } }
}

test('connections end 60 s after their last renewal: nothing is wrong', async () => {
  expect(await judge(RIGHT)).toEqual({
    found: [],
    sent: { twice: ['100000 ticket 1'], stale: ['75000 old'] },
  })
})

test.each([
  [{ ...RIGHT, renewed: NEVER }, 'ws.ticket.ends-connection: still open 75 s after its renewal'],
  [{ ...RIGHT, twice: 110_000 }, 'ws.ticket.renewal: not served after the second renewal'],
  [
    { ...RIGHT, stale: 135_000 },
    'ws.ticket.ends-connection: still open 75 s after its ticket was issued, renewed with an expired one',
  ],
])('with ends at %j: %s', async (ends, expected) => {
  expect((await judge(ends)).found).toEqual([expected])
})

test('a socket that had ended before its second renewal proves nothing', async () => {
  expect(await judge({ ...RIGHT, twice: 90_000 })).toEqual({
    found: [],
    sent: { twice: [], stale: ['75000 old'] },
  })
})

test('a restart of the gateway proves nothing about its socket', async () => {
  world.restarted = 'renewed'
  expect((await judge({ ...RIGHT, renewed: NEVER })).found).toEqual([])
})

test('without an expired ticket, the socket that it would renew is not judged', async () => {
  const { found, sent } = await judge({ ...RIGHT, stale: NEVER }, null)
  expect([found, sent.stale]).toEqual([[], []])
})

import { beforeEach, expect, test, vi } from 'vitest'
import type { Target } from '../../contract/scenario-config.ts'
import type { Feed } from '../lib/feed/feed.ts'
import { judgeProbe } from '../lib/verdict/judge.ts'
import { judgeCuts } from './feed-renewals.ts'

type Socket = { openedMs: number; place: number; received: number }
const world = vi.hoisted(() => ({
  nowMs: 0,
  opened: [] as Socket[],
  /** When the socket of that place ends. */
  endMs: (_: Socket): number => Number.POSITIVE_INFINITY,
  code: 1006,
  isMute: false,
  isDown: false,
}))
const closed = (socket: Socket) => (world.nowMs >= world.endMs(socket) ? { code: world.code } : undefined)

// Modules that need k6.
vi.mock('../lib/identity/session.ts', () => ({}))
vi.mock('../lib/identity/wallet.ts', () => ({}))
vi.mock('../lib/feed/served-feed.ts', async () => {
  const { CannotJudge } = await import('../lib/verdict/judge.ts')
  return {
    LOST: 'lost',
    isLost: (feed: Feed) => feed.closed()?.code === 1006,
    isServed: async (feed: Feed) => feed.closed() === undefined && !world.isMute,
    takeTicket: async () => ({ ticket: 't' }),
    async mustServe() {
      if (world.isDown) throw new CannotJudge('not served')
    },
  }
})
vi.mock('./feed-ticket-checks.ts', () => ({
  YOUNG_MS: 50_000,
  startAge: () => ({
    ms: () => world.nowMs,
    async until(ms: number) {
      world.nowMs = Math.max(world.nowMs, ms)
    },
  }),
  async openAuthenticated() {
    const socket = { openedMs: world.nowMs, place: world.opened.length, received: 0 }
    world.opened.push(socket)
    return { closed: () => closed(socket), close() {}, send() {}, evidence: () => [] }
  },
}))

beforeEach(() => {
  const never = () => Number.POSITIVE_INFINITY
  Object.assign(world, { nowMs: 0, opened: [], endMs: never, code: 1006, isMute: false, isDown: false })
})

const atAge =
  (...ages: number[]) =>
  ({ openedMs, place }: Socket) =>
    openedMs + (ages[place] ?? 0)

const LOST = 'inconclusive lost'

test.each<[string, Partial<typeof world>, string]>([
  [
    'at the same age',
    { endMs: atAge(45_000, 45_000, 45_000) },
    'fail 3 sockets are cut 45 s after each was opened',
  ],
  ['soon', { endMs: atAge(5000, 5000, 5000) }, 'fail 3 sockets are cut 5 s after each was opened'],
  [
    'at about the same age',
    { endMs: atAge(45_000, 47_000, 46_000) },
    'fail 3 sockets are cut 45 s after each was opened',
  ],
  ['at other ages', { endMs: atAge(45_000, 48_000, 46_000) }, LOST],
  ['at the same moment', { endMs: () => 40_000 }, LOST],
  ['never', {}, LOST],
  ['one of them never', { endMs: atAge(45_000, 45_000, 1e9) }, LOST],
  ['at the same age, with a close frame', { endMs: atAge(45_000, 45_000, 45_000), code: 4001 }, LOST],
  ['at the same age, after silence', { endMs: atAge(45_000, 45_000, 45_000), isMute: true }, LOST],
  ['at the same age, as the last ones', { endMs: atAge(45_000, 45_000, 45_000), isDown: true }, LOST],
])('sockets that end %s: %s', async (_, state, expected) => {
  Object.assign(world, state)
  const found: string[] = []
  const lost = { evidence: () => [] } as unknown as Feed // as: the only part used
  await judgeProbe({
    rules: ['ws.ticket.renewal'],
    getExpected: () => '',
    run: (judge) => judgeCuts({} as Target, judge, { credential: { bearer: 'x' }, lost }), // as: only its identity is used
    scenario: 'test',
    nowMs: () => 0,
    emit: ({ verdict, observed, reason }) => found.push(`${verdict} ${observed || reason}`),
  })
  expect(found).toEqual([expected])
  expect(world.opened.map(({ openedMs }) => openedMs)).toEqual([0, 3000, 8000])
})

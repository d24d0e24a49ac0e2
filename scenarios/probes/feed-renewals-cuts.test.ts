import { beforeEach, expect, test, vi } from 'vitest'
import type { Target } from '../../contract/scenario-config.ts'
import type { Feed } from '../lib/feed/feed.ts'
import { judgeProbe } from '../lib/verdict/judge.ts'
import { judgeCuts, WITH_FIRST_TICKET } from './feed-renewals.ts'

type Socket = { openedMs: number; place: number; renewedMs?: number }
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
    const socket: Socket = { openedMs: world.nowMs, place: world.opened.length }
    world.opened.push(socket)
    return {
      closed: () => closed(socket),
      close() {},
      send() {
        socket.renewedMs = world.nowMs
      },
      evidence: () => [],
    }
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
  expect(await judge()).toEqual([expected])
  expect(world.opened.map(({ openedMs }) => openedMs)).toEqual([0, 3000, 8000])
})

test.each<[string, (socket: Socket) => number, string, number[]]>([
  [
    'with their first tickets',
    atAge(60_000, 61_000, 60_000),
    'fail 3 sockets are cut 60 s after each was opened',
    [40_000, 43_000, 48_000],
  ],
  ['before they are renewed', atAge(39_000, 39_000, 39_000), LOST, []],
  ['at the same moment', () => 65_000, LOST, [40_000, 43_000, 48_000]],
  ['never', () => Number.POSITIVE_INFINITY, LOST, [40_000, 43_000, 48_000]],
])('sockets that are renewed after 40 s and end %s', async (_, endMs, expected, renewals) => {
  Object.assign(world, { endMs })
  expect(await judge(WITH_FIRST_TICKET)).toEqual([expected])
  expect(world.opened.flatMap(({ renewedMs }) => renewedMs ?? [])).toEqual(renewals)
  expect(world.nowMs).toBeLessThanOrEqual(78_000)
})

async function judge(options: Partial<typeof WITH_FIRST_TICKET> = {}): Promise<string[]> {
  const found: string[] = []
  const lost = { evidence: () => [] } as unknown as Feed // as: the only part used
  await judgeProbe({
    rules: ['ws.ticket.renewal'],
    getExpected: () => '',
    run: (judge) => judgeCuts({} as Target, judge, { credential: { bearer: 'x' }, lost, ...options }), // as: only its identity is used
    scenario: 'test',
    nowMs: () => 0,
    emit: ({ verdict, observed, reason }) => found.push(`${verdict} ${observed || reason}`),
  })
  return found
}

import { beforeEach, expect, test, vi } from 'vitest'
import type { Target } from '../../contract/scenario-config.ts'
import { CannotJudge, judgeProbe } from '../lib/verdict/judge.ts'
import { judgeAgain } from './feed-synchronize.ts'

const RULE = 'ws.sync.answered'

/** The second synchronize of a socket: its response, or the code that closes the socket before it. */
type Second = 'answered' | 'silent' | 'mute' | 1006 | 1012

const server = vi.hoisted(() => ({
  /** For each new socket in turn: without rooms, and after it has left a room. */
  plain: [] as Second[],
  left: [] as Second[],
  isDown: false,
}))

// Modules that need k6.
vi.mock('../lib/feed/feed.ts', () => ({}))
vi.mock('../lib/requests/confirm.ts', async () => {
  const { createConfirmWithin } = await import('../lib/requests/persistence.ts')
  return { confirm: createConfirmWithin(Number.POSITIVE_INFINITY, { nowMs: () => 0, pause: async () => {} }) }
})
vi.mock('../lib/feed/served-feed.ts', () => ({
  LOST: 'lost',
  UNRESPONSIVE: 'mute',
  isServed: async ({ second }: Socket) => {
    if (second === 1012) throw new CannotJudge('the gateway restarted')
    return second === 'answered'
  },
  isLost: ({ second }: Socket) => typeof second === 'number',
  isUnresponsive: async ({ second }: Socket) => second === 'mute',
  mustServe: async () => {
    if (server.isDown) throw new CannotJudge('not served')
  },
  openServedFeed: async (_target: unknown, _credential: unknown, rooms: readonly string[]) => ({
    second: (rooms.length > 0 ? server.left : server.plain).shift() ?? 'answered',
    send() {},
    close() {},
    evidence: () => [],
  }),
}))

type Socket = { second: Second }

const times = (count: number, second: Second) => Array<Second>(count).fill(second)

beforeEach(() => Object.assign(server, { plain: [], left: [], isDown: false }))

test.each<[Partial<typeof server>, string]>([
  [{}, 'pass'],
  [{ plain: times(3, 'silent') }, 'pass'],
  [{ left: times(3, 'silent') }, 'pass'],
  [{ plain: times(4, 'silent') }, 'fail'],
  [{ left: times(4, 'silent') }, 'fail'],
  [{ plain: [1012, 'silent', 1012, 1012, 'silent', 1006, 'silent', 'silent'] }, 'fail'],
  [{ plain: times(3, 1012) }, 'inconclusive'],
  [{ plain: ['mute'] }, 'inconclusive'],
  [{ plain: times(4, 'silent'), isDown: true }, 'inconclusive'],
])('new sockets that are synchronized twice, with %j: %s', async (sockets, expected) => {
  Object.assign(server, sockets)
  const found: string[] = []
  await judgeProbe({
    rules: [RULE],
    getExpected: () => '',
    run: (judge) => judgeAgain({} as Target, judge, { bearer: 'x' }), // as: only its identity is used
    scenario: 'test',
    nowMs: () => 0,
    emit: ({ verdict }) => found.push(verdict),
  })
  expect(found).toEqual([expected])
})

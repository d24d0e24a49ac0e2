import { beforeEach, expect, test, vi } from 'vitest'
import { LOST_CODES } from '../../contract/close-codes.ts'
import type { Target } from '../../contract/scenario-config.ts'
import type { Session } from '../lib/identity/session.ts'
import { judgeProbe } from '../lib/verdict/judge.ts'
import { judgeKept, keepSocket } from './after-session-ends.ts'

const RULE = 'auth.logout.current-only'
const TARGET = {} as Target // as: only its identity is used
const SESSION = { wallet: {} } as Session // as: the only part used

type Socket = { ticket: string; code: number | undefined }
const world = vi.hoisted(() => ({
  /** Tickets issued so far. */
  issued: 0,
  logouts: 1,
  logoutStatus: 200,
  nowMs: 0,
  /** Codes with which a socket is closed after this many logouts; undefined: served. */
  closes: (_ticket: string, _logouts: number): number | undefined => undefined,
}))

function open(ticket: string): Socket & object {
  const code = () => world.closes(ticket, world.logouts)
  return {
    ticket,
    get code() {
      return code()
    },
    closed: () => (code() === undefined ? undefined : { code: code() }),
    close: () => {},
    evidence: () => [ticket],
  } as Socket // as: what is used of it
}

// Modules that need k6.
vi.mock('../lib/identity/shared-wallets.ts', () => ({}))
vi.mock('../lib/identity/wallet.ts', () => ({}))
vi.mock('../lib/probe/watch-records.ts', () => ({}))
vi.mock('../lib/requests/confirm.ts', () => ({}))
vi.mock('../lib/feed/feed.ts', () => ({ openFeed: async () => ({}) }))
vi.mock('../lib/world/control.ts', () => ({ nowMs: async () => world.nowMs }))
vi.mock('../lib/requests/request.ts', () => ({
  isSuccess: ({ status }: { status: number }) => status === 200,
  async request() {
    world.logouts++
    return { status: world.logoutStatus }
  },
}))
vi.mock('../lib/identity/session.ts', () => ({
  getCredential: () => ({}),
  logoutSpec: () => ({}),
  withSession: (_: Target, __: object, use: (session: object) => unknown) => use({}),
}))
vi.mock('../lib/feed/served-feed.ts', () => {
  const isServed = async ({ code }: Socket) => code === undefined
  return {
    isServed,
    isServedWithWitness: isServed,
    isLost: ({ code }: Socket) => LOST_CODES.includes(code ?? 0),
    openServedFeed: async () => open('socket'),
    takeTicket: async () => ({ ticket: `t${++world.issued}` }),
    async tryTwice(
      once: (authenticate: (feed: object, ticket: string) => void) => Promise<{ served: boolean }>,
    ) {
      const tryOnce = () =>
        once(
          (feed, ticket) =>
            void Object.defineProperties(feed, Object.getOwnPropertyDescriptors(open(ticket))),
        )
      const first = await tryOnce()
      return first.served ? first : await tryOnce()
    },
  }
})

beforeEach(
  () =>
    void Object.assign(world, {
      issued: 0,
      logouts: 0,
      logoutStatus: 200,
      nowMs: 0,
      closes: () => undefined,
    }),
)

async function judge(): Promise<string> {
  let found = ''
  await judgeProbe({
    rules: [RULE],
    getExpected: () => '',
    run: async (judge) => {
      const kept = await keepSocket(TARGET, SESSION)
      world.logouts++
      await judgeKept(TARGET, judge, { rule: RULE, session: SESSION, kept })
    },
    scenario: 'test',
    nowMs: () => 0,
    emit: ({ verdict, observed }) => {
      found = `${verdict} ${observed}`.trim()
    },
  })
  return found
}

const isSocket = (ticket: string) => ticket === 'socket'
const TOO = 'of another session of the wallet ends too, twice, while a new ticket is served'

test.each<[string, typeof world.closes, string, logouts: number]>([
  ['nothing', () => undefined, 'inconclusive', 1],
  ['the socket', (ticket) => (isSocket(ticket) ? 4001 : undefined), `fail a socket ${TOO}`, 2],
  ['the tickets', (ticket) => (isSocket(ticket) ? undefined : 4001), `fail an unused ticket ${TOO}`, 2],
  ['one ticket', (ticket) => (ticket === 't4' ? 4001 : undefined), 'inconclusive', 1],
  [
    'the socket, once',
    (ticket, logouts) => (isSocket(ticket) && logouts === 1 ? 4001 : undefined),
    'inconclusive',
    2,
  ],
  [
    'the socket first, then the tickets',
    (ticket, logouts) => (isSocket(ticket) === (logouts === 1) ? 4001 : undefined),
    'inconclusive',
    2,
  ],
  ['a socket that was lost', (ticket) => (isSocket(ticket) ? 1006 : undefined), 'inconclusive', 1],
  ['a socket in maintenance', (ticket) => (isSocket(ticket) ? 1001 : undefined), 'inconclusive', 1],
])('a logout that ends %s', async (_, closes, expected, logouts) => {
  world.closes = closes
  expect([await judge(), world.logouts]).toEqual([expected, logouts])
})

test('what ends more than 40 s later proves nothing', async () => {
  world.closes = (ticket, logouts) => {
    if (logouts > 0) world.nowMs = 40_001
    return isSocket(ticket) ? 4001 : undefined
  }
  expect(await judge()).toBe('inconclusive')
})

test('a second logout that is rejected proves nothing', async () => {
  Object.assign(world, { closes: () => 4001, logoutStatus: 503 })
  expect([await judge(), world.logouts]).toEqual(['inconclusive', 2])
})

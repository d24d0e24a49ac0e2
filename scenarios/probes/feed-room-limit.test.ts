import { beforeEach, expect, test, vi } from 'vitest'
import { choicesSchema } from '../../contract/profile.ts'
import type { Target } from '../../contract/scenario-config.ts'
import type { FeedMessage } from '../lib/feed/feed.ts'
import { judgeProbe } from '../lib/verdict/judge.ts'
import { roomLimit } from './feed-room-limit.ts'

// as: the only parts used
const TARGET = {
  profile: { choices: choicesSchema.parse({}), control: null },
  wallets: [],
} as unknown as Target
const POOLS = Array.from({ length: 12 }, (_, place) => `k${place}`)
const ROOMS = Array.from({ length: 32 }, (_, place) => `balances:${place}`)
const TYPES: Record<string, string> = { pool_stats: 'PoolStats', trades: 'Trade', ohlcv: 'Ohlcv' }

type Socket = {
  isOpen: boolean
  wallet: string
  rooms: Set<string>
  received: FeedMessage[]
  close: () => void
}

const exchange = vi.hoisted(() => ({
  sockets: [] as Socket[],
  /** The limit of a socket, or of all sockets of a wallet. */
  limits: 'socket' as 'socket' | 'wallet',
  other: undefined as { wallet: string } | undefined,
  blocks: 0,
  max: 32,
  /** The first pools are the only ones with events. */
  busy: 12,
  dropsOldest: false,
  /** False: a socket with that many rooms gets no response, next to that number of other sockets of its wallet. */
  serves: (_rooms: number, _others: number): boolean => true,
  /** True: the response comes late. */
  isLate: false,
}))

// Modules that need k6.
vi.mock('../lib/feed/feed.ts', () => ({}))
vi.mock('../lib/market/busy-pools.ts', () => ({ busyPools: async () => POOLS }))
vi.mock('../lib/identity/credential.ts', () => ({
  readCredential: async () => ({ wallet: 'reads' }),
  otherCredential: async () => exchange.other,
}))
vi.mock('../lib/time/paused-mining.ts', () => ({ withMiningPaused: (fn: () => unknown) => fn() }))
vi.mock('../lib/world/keep-served.ts', () => ({ keepServed: async () => async () => {} }))
vi.mock('../lib/world/control.ts', () => ({
  advanceChain: async (_: Target, { done }: { done: () => boolean }) => {
    while (!done() && exchange.blocks < 9) mineBlock()
    return done()
  },
}))
vi.mock('../lib/feed/served-feed.ts', () => ({
  authenticate: async () => {},
  isServed: async () => true,
  countControls: () => (exchange.isLate ? 1 : 0),
  takeTicket: async () => ({ ticket: 't' }),
  openServedFeed: async (_: Target, by: { wallet: string }, rooms: string[]) => openSocket(by, rooms),
  tryFeed: async (_: Target, by: { wallet: string }, rooms: string[]) => {
    const others = exchange.sockets.filter(({ isOpen, wallet }) => isOpen && wallet === by.wallet).length
    return { feed: openSocket(by, rooms), served: exchange.serves(rooms.length, others) }
  },
}))

function openSocket({ wallet }: { wallet: string }, rooms: readonly string[]) {
  const joined = new Set<string>()
  const count = () =>
    exchange.limits === 'socket'
      ? joined.size
      : exchange.sockets.filter((one) => one.wallet === wallet).reduce((sum, one) => sum + one.rooms.size, 0)
  const socket = {
    isOpen: true,
    wallet,
    rooms: joined,
    received: [] as FeedMessage[],
    closed: () => undefined,
    hasResponded: () => true,
    until: async (done: () => boolean) => done(),
    settled: async () => true,
    send({ action, room }: { action: string; room: string }) {
      if (action === 'unsubscribe') joined.delete(room)
      if (action !== 'subscribe' || joined.has(room)) return
      const [oldest] = joined
      if (exchange.dropsOldest && oldest !== undefined && count() >= exchange.max) joined.delete(oldest)
      if (count() < exchange.max) joined.add(room)
    },
    evidence: () => [],
    close() {
      socket.isOpen = false
      joined.clear()
    },
  }
  exchange.sockets.push(socket)
  for (const room of rooms) socket.send({ action: 'subscribe', room })
  return socket
}

/** An event of each room of a pool. */
function mineBlock(): void {
  exchange.blocks++
  for (const { rooms, received } of exchange.sockets) {
    for (const room of rooms) {
      const [kind = '', pool = ''] = room.split(':')
      if (!POOLS.slice(0, exchange.busy).includes(pool)) continue
      const json = { type: TYPES[kind], data: { pool } }
      received.push({ ...json, json, text: JSON.stringify(json) } as FeedMessage) // as: what is read of it
    }
  }
}

beforeEach(() => {
  Object.assign(exchange, { sockets: [], limits: 'socket', other: { wallet: 'other' }, blocks: 0 })
  Object.assign(exchange, { serves: () => true, isLate: false, max: 32, busy: 12, dropsOldest: false })
})

const AT_MOST = 'ws.rooms.at-most-32'
const DELIVER = 'ws.rooms.32-deliver'

const UNKNOWN = { [AT_MOST]: 'inconclusive', [DELIVER]: 'inconclusive' }
const PASSES = { [AT_MOST]: 'pass', [DELIVER]: 'pass' }

test.each<[string, Partial<typeof exchange>, Record<string, string>]>([
  ['of each socket', {}, PASSES],
  ['of each socket, with few busy pools', { busy: 4 }, UNKNOWN],
  ['of each socket, which drops the oldest for a new one', { busy: 4, dropsOldest: true }, UNKNOWN],
  ['no more, but 33', { max: 33 }, { [AT_MOST]: 'fail', [DELIVER]: 'pass' }],
  [
    'no more, but 33, with few busy pools',
    { max: 33, busy: 4 },
    { [AT_MOST]: 'fail', [DELIVER]: 'inconclusive' },
  ],
  ['of each socket, with one wallet', { other: undefined }, PASSES],
  ['of each socket, with one socket of a wallet', { serves: (_, others) => others < 2 }, PASSES],
  ['of each socket, with slow joins', { serves: (rooms) => rooms < 32, isLate: true }, PASSES],
  [
    'more than a socket is served with',
    { serves: (rooms) => rooms < 32 },
    { [AT_MOST]: 'inconclusive', [DELIVER]: 'fail' },
  ],
  ['of a wallet', { limits: 'wallet' }, { [AT_MOST]: 'inconclusive', [DELIVER]: 'fail' }],
])('32 rooms are the limit %s', async (_, options, expected) => {
  Object.assign(exchange, options)
  // Another probe's socket of the wallet.
  openSocket({ wallet: 'reads' }, ROOMS)
  const found: Record<string, string> = {}
  await judgeProbe({
    rules: roomLimit.rules,
    getExpected: () => '',
    run: (judge) => roomLimit.run(TARGET, judge),
    scenario: 'test',
    nowMs: () => 0,
    emit: ({ rule, verdict }) => {
      found[rule] = verdict
    },
  })
  expect(found).toEqual(expected)
})

import { expect, test, vi } from 'vitest'
import { choicesSchema } from '../../contract/profile.ts'
import type { Target } from '../../contract/scenario-config.ts'
import type { Feed, FeedMessage } from '../lib/feed/feed.ts'
import { type Judge, judgeProbe } from '../lib/verdict/judge.ts'
import { judgeForeign, judgeKind } from './feed-kinds.ts'

// Modules that need k6.
vi.mock('../lib/feed/feed.ts', () => ({}))
vi.mock('../lib/feed/served-feed.ts', () => ({}))
vi.mock('../lib/identity/credential.ts', () => ({}))
const rest = vi.hoisted(() => ({ countUpdates: async () => 0 }))
vi.mock('../lib/market/await-owed.ts', () => ({ countUpdates: () => rest.countUpdates() }))
vi.mock('../lib/market/busy-pools.ts', () => ({}))
vi.mock('../lib/market/swap-watch.ts', () => ({}))
vi.mock('../lib/time/pause.ts', () => ({}))
vi.mock('../lib/time/paused-mining.ts', () => ({}))
vi.mock('../lib/world/keep-served.ts', () => ({}))
vi.mock('./feed-config-change.ts', () => ({}))

const RULE = 'ws.rooms.only-subscribed'

async function hear(rule: string, run: (judge: Judge) => Promise<void>): Promise<string> {
  let said = ''
  await judgeProbe({
    rules: [rule],
    getExpected: () => '',
    run,
    scenario: 'test',
    nowMs: () => 0,
    emit: ({ verdict, observed, reason }) => {
      said = `${verdict}: ${reason ?? observed}`
    },
  })
  return said
}

function judge(received: readonly FeedMessage[], pool: string | null = 'data.pool'): Promise<string> {
  const target = { profile: { choices: choicesSchema.parse({ events: { pool } }) } } as Target // as: the only part used
  const sockets = [{ rooms: ['trades:k1', 'pool_stats:k1'], feed: { received } }]
  return hear(RULE, async (judge) => judgeForeign(target, judge, sockets))
}

const event = (type: string, pool: string): FeedMessage => {
  const data = { pool }
  return { type, data, json: { type, data }, text: `${type} of ${pool}` }
}
const [own, other] = [event('Trade', 'k1'), event('Trade', 'k2')]

test.each([
  { what: 'own events', received: [own, own, own], said: 'pass: 0 of 3 events of other rooms' },
  { what: 'another pool', received: [own, other, own], said: 'fail: 1 of 3 events of other rooms' },
  {
    what: 'too few events',
    received: [own, own],
    said: 'inconclusive: only 2 events came to the checked sockets',
  },
  { what: 'no event', received: [], said: 'inconclusive: only 0 events came to the checked sockets' },
  {
    what: 'events of which one type has its pool elsewhere',
    received: [own, own, own, { ...event('PoolStats', 'k2'), json: { data: { key: 'k2' } } }],
    said: 'inconclusive: no key at data.pool: PoolStats of k2',
  },
])('$what: $said', async ({ received, said }) => {
  expect(await judge(received)).toBe(said)
})

test.each([
  ['data.market', 'inconclusive: no key at data.market: Trade of k2'],
  [null, 'inconclusive: the profile does not state the path of the key: Trade of k2'],
])('with the path %s, events of other pools are no evidence', async (pool, said) => {
  expect(await judge([other, other, other], pool)).toBe(said)
})

const STATS = { rule: 'ws.rooms.pool-stats', room: 'pool_stats', type: 'PoolStats', record: 'stats' } as const
const TRADES = { rule: 'ws.rooms.trades', room: 'trades', type: 'Trade', record: undefined } as const
const SILENT = 'in 80 s, while /swaps shows 3 more swaps in these pools'

test.each([
  { kind: TRADES, seconds: 80, swaps: 3, said: `fail: no Trade ${SILENT}` },
  { kind: STATS, updated: 3, said: `fail: no PoolStats ${SILENT}, and 3 updates at /pools/{key}/stats` },
  {
    kind: STATS,
    updated: 2,
    said: `inconclusive: no PoolStats ${SILENT}, and 2 updates at /pools/{key}/stats`,
  },
  {
    ...{ kind: STATS, updated: 3, seconds: 30 },
    said: 'inconclusive: no PoolStats in 30 s, while /swaps shows 3 more swaps in these pools',
  },
  {
    kind: STATS,
    updated: 3,
    closed: { code: 1006, reason: '' },
    said: 'inconclusive: the socket was closed with 1006',
  },
  { kind: STATS, came: [own], said: 'pass: 1 events PoolStats' },
  { kind: STATS, updated: 3, late: [own], said: 'inconclusive: it came late' },
])(
  'of a kind: $said',
  async ({ kind, seconds = 80, swaps = 3, updated = 0, closed, came = [], late = [], said }) => {
    const arrived: FeedMessage[] = [...came]
    rest.countUpdates = async () => {
      arrived.push(...late)
      return updated
    }
    const feed = {
      received: [],
      closed: () => closed,
      hasResponded: () => true,
      evidence: () => [],
    } as unknown as Feed // as: the only parts used
    const owed = { came: false, swaps, seconds }
    const heard = { feed, owed, pools: [], eachTurn: async () => {}, list: () => arrived }
    expect(await hear(kind.rule, (judge) => judgeKind({} as Target, judge, kind, heard))).toBe(said) // as: unused
  },
)

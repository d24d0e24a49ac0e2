import { beforeEach, expect, test, vi } from 'vitest'
import type { Target } from '../../contract/scenario-config.ts'
import type { FeedMessage } from '../lib/feed/feed.ts'
import type { Swap } from '../lib/market/swap-watch.ts'
import { reportSilentLaunched } from './feed-kept-rooms.ts'

const world = vi.hoisted(() => ({
  received: [] as FeedMessage[],
  /** Arrive after the wait. */
  late: [] as FeedMessage[],
  rooms: [] as readonly string[],
  rejoins: [] as readonly string[],
  code: undefined as number | undefined,
  swaps: [] as string[],
  updates: 3,
  noted: [] as string[],
}))

// Modules that need k6.
vi.mock('../lib/feed/feed.ts', () => ({}))
vi.mock('../lib/feed/served-feed.ts', () => ({
  openServedFeed: async (_: Target, __: object, rooms: readonly string[]) => {
    world.rooms = rooms
    return {
      received: world.received,
      closed: () => (world.code === undefined ? undefined : { code: world.code }),
      hasResponded: () => true,
      settled: async () => {
        world.received.push(...world.late)
        return true
      },
      evidence: () => ['frames'],
      close: () => {},
    }
  },
}))
vi.mock('../lib/identity/credential.ts', () => ({}))
vi.mock('../lib/market/await-owed.ts', () => ({
  awaitOwed: async (_: Target, options: { isOwing: (swap: Swap) => boolean }) => {
    const swaps = world.swaps.map((pool) => ({ hops: [{ pool }] }))
    return { came: false, swaps: swaps.filter(options.isOwing).length, seconds: 80 }
  },
  countUpdates: async () => world.updates,
}))
vi.mock('../lib/market/busy-pools.ts', () => ({}))
vi.mock('../lib/market/swap-watch.ts', () => ({
  listPools: ({ hops }: { hops: { pool: string }[] }) => hops.map(({ pool }) => pool),
}))
vi.mock('../lib/probe/watch-records.ts', () => ({
  noteProblem: (rule: string, problem: string) => void world.noted.push(`${rule}: ${problem}`),
}))
vi.mock('../lib/time/pause.ts', () => ({}))
vi.mock('../lib/world/control.ts', () => ({ advanceChain: async () => false }))
vi.mock('../lib/world/keep-served.ts', () => ({
  keepServed: async (_: Target, { rejoins }: { rejoins: readonly string[] }) => {
    world.rejoins = rejoins
    return async () => {}
  },
}))
vi.mock('./feed-config-change.ts', () => ({}))

beforeEach(() =>
  Object.assign(world, {
    received: [],
    late: [],
    code: undefined,
    swaps: ['k1', 'k2', 'k1'],
    updates: 3,
    noted: [],
  }),
)

const TARGET = { profile: { control: 'http://127.0.0.1' } } as Target // as: the only part used

const report = (keys: readonly string[], leftMs = 1_000_000) =>
  reportSilentLaunched(TARGET, {
    credential: { bearer: 'ss_token' },
    keys,
    untilMs: Date.now() + leftMs,
  })

const SEEN = 'in 80 s, while /swaps shows 3 more swaps in these pools'
const WHERE = 'in pools that were launched during the run'
const TRADES = `ws.rooms.trades: ${WHERE}: no Trade ${SEEN}`

test('joins the rooms of each launched pool, also after renewals', async () => {
  await report(['k1', 'k2', 'k1'])
  const rooms = ['k1', 'k2'].flatMap((key) => [`pool_stats:${key}`, `trades:${key}`, `ohlcv:${key}`])
  expect(world).toMatchObject({ rooms, rejoins: rooms })
})

test('with too little time left, nothing is joined', async () => {
  world.rooms = []
  await report(['k1'], 50_000)
  expect(world.rooms).toEqual([])
})

test('silent rooms of launched pools are violations, as far as REST shows that events are due', async () => {
  await report(['k1', 'k2'])
  expect(world.noted.sort()).toEqual([
    `ws.rooms.ohlcv: ${WHERE}: no Ohlcv ${SEEN}, and 3 updates at /pools/{key}/ohlcv`,
    `ws.rooms.pool-stats: ${WHERE}: no PoolStats ${SEEN}, and 3 updates at /pools/{key}/stats`,
    TRADES,
  ])
})

test.each([
  ['too few updates over REST: only trades are due', { updates: 2 }, [TRADES]],
  ['too few swaps in these pools', { swaps: ['k1', 'k2', 'k3'] }, []],
  ['a closed socket', { code: 1006 }, []],
  ['resync_required', { received: [{ control: 'resync_required', json: {}, text: '' }] }, []],
])('%s', async (_, state, noted) => {
  Object.assign(world, state)
  await report(['k1', 'k2'])
  expect(world.noted).toEqual(noted)
})

test.each(['received', 'late'] as const)('a kind that came is no violation: %s', async (when) => {
  world[when] = ['Trade', 'PoolStats', 'Ohlcv'].map((type) => ({ type, json: { type }, text: type }))
  await report(['k1', 'k2'])
  expect(world.noted).toEqual([])
})

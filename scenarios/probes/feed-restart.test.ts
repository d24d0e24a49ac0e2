import { beforeEach, expect, test, vi } from 'vitest'
import type { Target } from '../../contract/scenario-config.ts'
import type { Feed, FeedMessage } from '../lib/feed/feed.ts'
import { judgeProbe } from '../lib/verdict/judge.ts'
import { judgeSilent } from './feed-restart.ts'

const rest = vi.hoisted(() => ({ updates: 3, missesChanges: true, calls: [] as string[] }))

// Modules that need k6.
vi.mock('../lib/duties/k6-tools.ts', () => ({}))
vi.mock('../lib/feed/feed.ts', () => ({}))
vi.mock('../lib/feed/served-feed.ts', () => ({}))
vi.mock('../lib/identity/credential.ts', () => ({}))
vi.mock('../lib/market/await-owed.ts', () => ({
  countUpdates: async (_: Target, { record }: { record: string }) => {
    rest.calls.push(record)
    return rest.updates
  },
}))
vi.mock('../lib/market/busy-pools.ts', () => ({}))
vi.mock('../lib/market/swap-watch.ts', () => ({}))
vi.mock('../lib/time/pause.ts', () => ({}))
vi.mock('../lib/world/control.ts', () => ({}))
vi.mock('../lib/world/keep-served.ts', () => ({}))
vi.mock('./feed-config-change.ts', () => ({}))
vi.mock('./feed-config-events.ts', () => ({
  missesChanges: async () => {
    rest.calls.push('changes')
    return rest.missesChanges
  },
}))

beforeEach(() => Object.assign(rest, { updates: 3, missesChanges: true, calls: [] }))

const ALL = ['PoolStats', 'Trade', 'Ohlcv', 'ProtocolConfigChanged']
const BACK = 'pass: back'
const SILENT = 'in 80 s, while /swaps shows 3 more swaps in these pools'

/** The verdict after the events of these types came. */
async function judge({
  due = ALL,
  came,
  swaps = 3,
  closed,
}: {
  due?: string[]
  came: string[]
  swaps?: number
  closed?: { code: number }
}): Promise<string> {
  const received = came.map((type): FeedMessage => ({ type, json: { type }, text: type }))
  const feed = { received, closed: () => closed, hasResponded: () => true, evidence: () => [] }
  const heard = {
    feed: feed as unknown as Feed, // as: the only parts used
    list: (type: string) => received.filter((message) => message.type === type),
    owed: { came: false, swaps, seconds: 80 },
    pools: ['k1'],
    eachTurn: async () => {},
  }
  let said = ''
  await judgeProbe({
    rules: ['ws.restart.restores'],
    getExpected: () => '',
    async run(judge) {
      await judgeSilent({} as Target, judge, { due, heard }) // as: unused
      judge.pass('ws.restart.restores', 'back')
    },
    scenario: 'test',
    nowMs: () => 0,
    emit: ({ verdict, observed, reason }) => {
      said = `${verdict}: ${reason ?? observed}`
    },
  })
  return said
}

test.each([
  [
    'candles',
    ['PoolStats', 'Trade', 'ProtocolConfigChanged'],
    `fail: no Ohlcv ${SILENT}, and 3 updates at /pools/{key}/ohlcv`,
  ],
  [
    'statistics',
    ['Ohlcv', 'Trade', 'ProtocolConfigChanged'],
    `fail: no PoolStats ${SILENT}, and 3 updates at /pools/{key}/stats`,
  ],
  ['trades', ['PoolStats', 'Ohlcv', 'ProtocolConfigChanged'], `fail: no Trade ${SILENT}`],
  [
    'the configuration',
    ['PoolStats', 'Trade', 'Ohlcv'],
    'fail: no ProtocolConfigChanged of 3 changes that /protocol/state shows',
  ],
])('after a restart, without %s: a violation', async (_, came, said) => {
  expect(await judge({ came })).toBe(said)
})

test('a kind that came again, or did not come before, is not compared with REST', async () => {
  expect(await judge({ came: ALL })).toBe(BACK)
  expect(await judge({ due: ['Trade'], came: ['Trade'] })).toBe(BACK)
  expect(rest.calls).toEqual([])
})

test.each([
  ['few swaps', () => {}, { swaps: 2 }],
  ['few updates', () => Object.assign(rest, { updates: 2 }), {}],
  ['a close', () => {}, { closed: { code: 1006 } }],
])('%s: no violation', async (_, prepare, options) => {
  prepare()
  expect(await judge({ came: ['Trade', 'PoolStats', 'ProtocolConfigChanged'], ...options })).toBe(BACK)
})

test('a change that came, or that REST does not show, is no violation', async () => {
  rest.missesChanges = false
  expect(await judge({ came: ['PoolStats', 'Trade', 'Ohlcv'] })).toBe(BACK)
  expect(rest.calls).toEqual(['changes'])
})

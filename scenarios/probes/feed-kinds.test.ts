import { expect, test, vi } from 'vitest'
import { choicesSchema } from '../../contract/profile.ts'
import type { Target } from '../../contract/scenario-config.ts'
import type { FeedMessage } from '../lib/feed/feed.ts'
import { judgeProbe } from '../lib/verdict/judge.ts'
import { judgeForeign } from './feed-kinds.ts'

// Modules that need k6.
vi.mock('../lib/feed/feed.ts', () => ({}))
vi.mock('../lib/feed/served-feed.ts', () => ({}))
vi.mock('../lib/identity/credential.ts', () => ({}))
vi.mock('../lib/market/await-owed.ts', () => ({}))
vi.mock('../lib/market/busy-pools.ts', () => ({}))
vi.mock('../lib/market/swap-watch.ts', () => ({}))
vi.mock('../lib/time/pause.ts', () => ({}))
vi.mock('../lib/time/paused-mining.ts', () => ({}))
vi.mock('../lib/world/keep-served.ts', () => ({}))
vi.mock('./feed-config-change.ts', () => ({}))

const RULE = 'ws.rooms.only-subscribed'

async function judge(received: readonly FeedMessage[], pool: string | null = 'data.pool'): Promise<string> {
  const target = { profile: { choices: choicesSchema.parse({ events: { pool } }) } } as Target // as: the only part used
  let said = ''
  await judgeProbe({
    rules: [RULE],
    getExpected: () => '',
    run: async (judge) =>
      judgeForeign(target, judge, [{ rooms: ['trades:k1', 'pool_stats:k1'], feed: { received } }]),
    scenario: 'test',
    nowMs: () => 0,
    emit: ({ verdict, observed, reason }) => {
      said = `${verdict}: ${reason ?? observed}`
    },
  })
  return said
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

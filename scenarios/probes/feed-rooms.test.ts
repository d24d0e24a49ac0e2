import { beforeEach, expect, test, vi } from 'vitest'
import type { Finding } from '../../contract/finding.ts'
import { choicesSchema } from '../../contract/profile.ts'
import type { Target } from '../../contract/scenario-config.ts'
import type { FeedMessage } from '../lib/feed/feed.ts'
import { judgeProbe } from '../lib/verdict/judge.ts'
import { leaveRoom } from './feed-leave.ts'
import { renewedRooms } from './feed-rooms.ts'

const TARGET = { profile: { choices: choicesSchema.parse({}), control: null } } as Target // as: the only part used
const POOLS = listPools(8)

function listPools(length: number): string[] {
  return Array.from({ length }, (_, place) => `k${place}`)
}

/** Two sockets in the same rooms. What the witness is behind by arrives when it is pinged. */
const world = vi.hoisted(() => ({
  sockets: [] as { received: FeedMessage[]; behind: FeedMessage[] }[],
  left: new Set<string>(),
  /** Run one by one by each call of advanceChain, before it checks. */
  turns: [] as (() => void)[],
  duringPause: () => {},
  pools: [] as string[],
}))

// Modules that need k6.
vi.mock('../lib/feed/feed.ts', () => ({}))
vi.mock('../lib/market/market.ts', () => ({}))
vi.mock('../lib/market/busy-pools.ts', () => ({ busyPools: async () => world.pools }))
vi.mock('../lib/identity/credential.ts', () => ({ readCredential: async () => ({}) }))
vi.mock('../lib/time/paused-mining.ts', () => ({ withMiningPaused: (fn: () => unknown) => fn() }))
vi.mock('../lib/world/keep-served.ts', () => ({ keepServed: async () => async () => {} }))
vi.mock('../lib/world/control.ts', () => ({
  advanceChain: async (_: Target, { done }: { done: () => boolean }) => {
    world.turns.shift()?.()
    return done()
  },
}))
vi.mock('../lib/feed/served-feed.ts', () => ({
  isServed: async () => true,
  takeTicket: async () => ({ ticket: 't' }),
  authenticatePatiently: async () => world.duringPause(),
  openServedFeed: async () => openSocket(),
  tryFeed: async () => ({ feed: openSocket(), served: true }),
}))

function openSocket() {
  const socket = { received: [] as FeedMessage[], behind: [] as FeedMessage[] }
  world.sockets.push(socket)
  let closed: { code: number } | undefined
  return {
    ...socket,
    closed: () => closed,
    until: async () => false,
    hasResponded: () => true,
    settled: async () => void socket.received.push(...socket.behind.splice(0)),
    send: ({ action, room }: { action: string; room: string }) => {
      if (action === 'unsubscribe') world.left.add(room)
    },
    evidence: () => [],
    close() {
      closed = { code: 1000 }
    },
  }
}

beforeEach(() => {
  world.sockets = []
  world.left.clear()
  world.pools = POOLS
})

/** A statistic and a trade of each pool. `isSilent`: the judged socket gets nothing; `silent`: nothing of these rooms. */
function mineBlock({ isWitnessBehind = false, isSilent = false, silent = [] as string[] } = {}): void {
  const [witness, judged] = world.sockets
  for (const pool of world.pools) {
    for (const [type, room] of [['PoolStats', 'pool_stats'] as const, ['Trade', 'trades'] as const]) {
      const json = { type, data: { pool } }
      const message = { type, json, data: json.data, text: JSON.stringify(json) } as FeedMessage // as: what is read of it
      ;(isWitnessBehind ? witness?.behind : witness?.received)?.push(message)
      if (!isSilent && ![...world.left, ...silent].includes(`${room}:${pool}`)) judged?.received.push(message)
    }
  }
}

function catchUp(): void {
  const [witness] = world.sockets
  witness?.received.push(...witness.behind.splice(0))
}

async function judgeRooms(
  probe: typeof leaveRoom,
  describe = ({ verdict }: Finding) => verdict as string | undefined,
): Promise<(string | undefined)[]> {
  const found: (string | undefined)[] = []
  await judgeProbe({
    rules: probe.rules,
    getExpected: () => '',
    run: (judge) => probe.run(TARGET, judge),
    scenario: 'test',
    nowMs: () => 0,
    emit: (finding) => found.push(describe(finding)),
  })
  return found
}

test.each([
  ['a block that the witness gets late', () => catchUp(), ['inconclusive']],
  ['the next block', () => mineBlock(), ['pass']],
  ['a block that the rooms kept do not get', () => mineBlock({ isSilent: true }), ['fail']],
])('after the leave, %s', async (_, turn, expected) => {
  world.turns = [mineBlock, turn]
  world.duringPause = () => mineBlock({ isWitnessBehind: true })
  expect(await judgeRooms(leaveRoom)).toEqual(expected)
})

const nothing = () => {}

test.each([
  ['in one of two pools', ['trades:k8'], 'pass'],
  ['in both of two pools', ['trades:k8', 'trades:k10'], 'fail'],
  ['of statistics', ['pool_stats:k9', 'pool_stats:k11'], 'fail'],
])('after the leave of a room, the other of the pool is silent: %s', async (_, silent, expected) => {
  world.pools = listPools(12)
  world.turns = [mineBlock, () => [1, 2].map(() => mineBlock({ silent }))]
  world.duringPause = nothing
  expect(await judgeRooms(leaveRoom)).toEqual([expected])
  expect([...world.left]).toEqual(expect.arrayContaining(['pool_stats:k8', 'trades:k9']))
})

test('of pools left in part, silence of two events is not judged', async () => {
  world.pools = listPools(12)
  world.turns = [mineBlock, () => mineBlock({ silent: ['trades:k8', 'trades:k10'] })]
  world.duringPause = nothing
  expect(await judgeRooms(leaveRoom)).toEqual(['pass'])
})

/** A trade of each of some pools, for a socket that joined the rooms last. */
function sendToNewest(pools: readonly string[]): void {
  for (const pool of pools) {
    const json = { type: 'Trade', data: { pool } }
    world.sockets[2]?.received.push({ type: 'Trade', json, data: json.data, text: JSON.stringify(json) })
  }
}

test.each([
  ['three events of left rooms', ['k0', 'k2', 'k4'], ['fail']],
  ['two events', ['k0', 'k2'], ['inconclusive']],
  ['events of rooms that were kept', ['k1', 'k3', 'k5'], ['inconclusive']],
])('after the leave the witness gets nothing, and a new socket %s', async (_, pools, expected) => {
  world.turns = [mineBlock, nothing, nothing, () => sendToNewest(pools)]
  world.duringPause = nothing
  expect(await judgeRooms(leaveRoom)).toEqual(expected)
})

test.each([
  ['the witness gets the next block', [mineBlock], ['pass']],
  ['no one gets anything', [], ['pass']],
  ['only a new socket gets events', [nothing, () => sendToNewest(['k0', 'k1', 'k2'])], ['fail']],
  [
    'a new socket gets events first',
    [
      nothing,
      () => {
        sendToNewest(['k0', 'k1', 'k2'])
        mineBlock()
      },
    ],
    ['pass'],
  ],
])('after the close, %s', async (_, turns, expected) => {
  world.turns = [mineBlock, mineBlock, nothing, ...turns]
  world.duringPause = nothing
  expect(await judgeRooms(leaveRoom)).toEqual(expected)
})

test.each([
  ['that sent some before is found', true, ['fail']],
  // It may have been joined after the leave.
  ['that sent none before is not judged', false, ['pass']],
])('a candle that comes seconds after the leave of a room %s', async (_, isHeard, expected) => {
  const sendCandle = () => {
    const json = { type: 'Ohlcv', data: { pool: 'k0' } }
    for (const { received } of world.sockets)
      received.push({ type: 'Ohlcv', json, data: json.data, text: JSON.stringify(json) })
  }
  const first = () => {
    mineBlock()
    if (isHeard) sendCandle()
  }
  world.turns = [first, mineBlock, sendCandle]
  world.duringPause = nothing
  expect(await judgeRooms(leaveRoom)).toEqual(expected)
})

test.each([
  ['a block that the witness gets late', () => catchUp(), ['inconclusive']],
  ['the next block', () => mineBlock(), ['pass']],
  ['a block that the renewed socket does not get', () => mineBlock({ isSilent: true }), ['fail']],
])('after the renewal, %s', async (_, turn, expected) => {
  world.turns = [turn]
  world.duringPause = () => mineBlock({ isWitnessBehind: true })
  expect(await judgeRooms(renewedRooms)).toEqual(expected)
})

test.each([
  ['leave', leaveRoom],
  ['renewal', renewedRooms],
])('after the %s, events whose pool is elsewhere are the reason that nothing is judged', async (_, probe) => {
  const sendKeyless = () => {
    for (const { received } of world.sockets)
      received.push({ type: 'Trade', json: { data: { market: 'k0' } }, text: '{"market":"k0"}' })
  }
  world.turns = [sendKeyless]
  world.duringPause = nothing
  const reasons = await judgeRooms(probe, ({ reason }) => reason)
  expect(reasons).toEqual(['no key at data.pool: {"market":"k0"}'])
})

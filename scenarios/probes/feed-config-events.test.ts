import { beforeEach, expect, test, vi } from 'vitest'
import { choicesSchema } from '../../contract/profile.ts'
import type { Target } from '../../contract/scenario-config.ts'
import type { Feed, FeedMessage } from '../lib/feed/feed.ts'
import { FEE_CHANGE } from './feed-config-change.ts'
import { hasRevision, isNamed, missesChanges } from './feed-config-events.ts'

const CHOICES = choicesSchema.parse({ events: { changes: 'data.changes' }, protocolState: { revision: 'r' } })
const TARGET = { profile: { choices: CHOICES, control: {} }, controlToken: 'x' } as unknown as Target // as: the only part used

const world = vi.hoisted(() => ({
  revision: 4,
  changes: 0,
  received: [] as FeedMessage[],
  /** Changes that the event of the next block names, if it comes. */
  announce: (_round: number): { revision: number; scope: string; key: string } | undefined => undefined,
  isShown: true,
}))

// Modules that need k6.
vi.mock('../lib/feed/feed.ts', () => ({}))
vi.mock('../lib/market/market.ts', () => ({
  readProtocolState: async () => ({ status: 200, json: { r: world.isShown ? world.revision : 4 } }),
}))
vi.mock('../lib/world/control.ts', () => ({
  control: async () => {
    world.changes++
    return { revision: ++world.revision }
  },
  advanceChain: async () => {
    const named = world.announce(world.changes)
    if (named) world.received.push(makeEvent(named))
  },
}))

function makeEvent({ revision, ...change }: { revision: number; scope: string; key: string }): FeedMessage {
  const json = { type: 'ProtocolConfigChanged', data: { revision, changes: [change] } }
  return { type: json.type, json, data: json.data, text: JSON.stringify(json) }
}

beforeEach(
  () =>
    void Object.assign(world, {
      ...{ revision: 4, changes: 0, received: [], isShown: true },
      announce: () => undefined,
    }),
)

function misses(target = TARGET): Promise<boolean> {
  const feed = {
    received: world.received,
    until: async () => false,
    settled: async () => true,
    closed: () => undefined,
    hasResponded: () => true,
  } as unknown as Feed // as: what is used of it
  return missesChanges(target, { feed, change: FEE_CHANGE, eachTurn: async () => {} })
}

const OTHER = { scope: 'fee_tiers', key: '3000' }

test.each([
  ['no event', () => undefined, true, 3],
  ['events of changes by another probe', () => ({ revision: 1, ...OTHER }), true, 3],
  ['an event of the change', () => ({ revision: 1, ...FEE_CHANGE }), false, 1],
  ['an event of its revision, with other pairs', () => ({ revision: 5, ...OTHER }), false, 1],
  [
    'an event of the last of three changes',
    (round: number) => (round === 3 ? { revision: 1, ...FEE_CHANGE } : undefined),
    false,
    3,
  ],
])('%s', async (_, announce, expected, changes) => {
  world.announce = announce
  expect([await misses(), world.changes]).toEqual([expected, changes])
})

test('silence proves nothing if REST shows no later revision', async () => {
  world.isShown = false
  expect([await misses(), world.changes]).toEqual([false, 2])
})

test('without a control API, nothing is changed', async () => {
  const target = { profile: { choices: CHOICES, control: null } } as unknown as Target // as: the only part used
  expect([await misses(target), world.changes]).toEqual([false, 0])
})

test.each([
  ['the pair', FEE_CHANGE, true],
  ['its key, and a scope that is spelled otherwise', { scope: 'ProtocolFee', key: 'none' }, true],
  ['scope and key in the place of each other', { scope: 'none', key: 'protocol_fee' }, false],
  ['another pair', OTHER, false],
])('a change is named by an event with %s', (_, pair, expected) => {
  const event = makeEvent({ revision: 7, ...pair })
  expect(isNamed(TARGET, event, FEE_CHANGE)).toBe(expected)
  expect([7n, 8n, undefined].map((revision) => hasRevision(event, revision))).toEqual([true, false, false])
})

import { beforeEach, expect, test, vi } from 'vitest'
import { choicesSchema } from '../../contract/profile.ts'
import type { Target } from '../../contract/scenario-config.ts'
import type { Feed, FeedMessage } from '../lib/feed/feed.ts'
import { judgeProbe } from '../lib/verdict/judge.ts'
import { judgeNewRevision } from './feed-config-events.ts'

const RULE = 'ws.config.agrees'
const CHOICES = choicesSchema.parse({})
const TARGET = { profile: { choices: CHOICES, control: {} }, controlToken: 'x' } as unknown as Target // as: the only part used

const world = vi.hoisted(() => ({
  revision: 4n,
  changes: 0,
  /** Revisions that the events of the next block name. */
  announce: (_revision: bigint): bigint[] => [],
  received: [] as FeedMessage[],
  /** Waits of a target that is only watched: the revisions that events name by their ends. */
  turns: [] as (() => bigint[])[],
}))

// Modules that need k6.
vi.mock('../lib/feed/feed.ts', () => ({}))
vi.mock('../lib/market/market.ts', () => ({}))
vi.mock('./feed-config-change.ts', () => ({
  changeConfig: async () => {
    world.revision++
    world.changes++
  },
}))
vi.mock('../lib/world/control.ts', () => ({
  advanceChain: async (_: Target, { done }: { done: () => boolean }) => {
    announce(...(world.turns.shift()?.() ?? world.announce(world.revision)))
    return done()
  },
}))

function announce(...revisions: bigint[]): void {
  for (const revision of revisions) {
    const json = { type: 'ProtocolConfigChanged', data: { revision: Number(revision) } }
    world.received.push({ type: json.type, json, data: json.data, text: JSON.stringify(json) })
  }
}

beforeEach(() => void Object.assign(world, { revision: 4n, changes: 0, received: [], turns: [] }))

async function judge(target = TARGET): Promise<string[]> {
  const feed = {
    received: world.received,
    until: async () => false,
    settled: async () => true,
    closed: () => undefined,
    hasResponded: () => true,
    evidence: () => [],
  } as unknown as Feed // as: what is used of it
  const found: string[] = []
  await judgeProbe({
    rules: [RULE],
    getExpected: () => '',
    run: (judge) =>
      judgeNewRevision(target, judge, {
        feed,
        readLater: async (revision) => (world.revision > revision ? world.revision : undefined),
        eachTurn: async () => {},
      }),
    scenario: 'test',
    nowMs: () => 0,
    emit: ({ verdict, observed }) => {
      if (verdict === 'fail') found.push(observed)
    },
  })
  return found
}

test('an event that names the served revision: nothing is changed', async () => {
  announce(4n)
  expect([await judge(), world.changes]).toEqual([[], 0])
})

test('each of three changes is announced with the revision before it', async () => {
  announce(3n)
  world.announce = (revision) => [revision - 1n]
  const expected = [4, 5, 6].map(
    (revision) =>
      `revision ${revision} in the event, ${revision} served before the change, ${revision + 1} after it`,
  )
  expect(await judge()).toEqual([expected.join('; ')])
})

test('a round in which another probe changes the configuration is repeated', async () => {
  announce(3n)
  world.announce = (revision) => {
    if (world.changes === 1) world.revision++
    return [world.revision - 1n, revision - 1n]
  }
  expect(await judge()).toHaveLength(1)
  expect(world.changes).toBe(4)
})

test.each([
  [
    'an event that was late, and then the one of the change',
    (revision: bigint) => [revision - 1n, revision],
    1,
  ],
  ['no event', () => [], 1],
  ['a late event at first only', (revision: bigint) => [revision === 5n ? 4n : revision], 2],
])('%s prove nothing', async (_, announced, changes) => {
  announce(3n)
  world.announce = announced
  expect([await judge(), world.changes]).toEqual([[], changes])
})

const WATCHED = { profile: { choices: CHOICES, control: null } } as unknown as Target // as: the only part used

/** The next change; its event names the revision before it. */
function replace(): bigint[] {
  world.revision++
  return [world.revision - 1n]
}

test('without a control API, nothing is changed: each of three events names the revision before the served one', async () => {
  announce(3n)
  const resync = () => {
    world.received.push({ control: 'resync_required', json: {}, text: '' } as FeedMessage) // as: all that is read
    return []
  }
  const later = () => {
    world.revision++
    return []
  }
  // After the second event, another may be missed. REST follows the last one some seconds later.
  world.turns = [() => [], replace, resync, replace, () => [], () => [6n], later, () => []]
  expect(await judge(WATCHED)).toEqual([
    [3, 5, 6].map((revision) => `revision ${revision} in the event, ${revision + 1} served`).join('; '),
  ])
  expect(world.changes).toBe(0)
})

test.each<[string, bigint, (() => bigint[])[]]>([
  ['the newest revision', 4n, []],
  ['the newest revision a little later', 3n, [() => [4n]]],
  ['the newest revision of the second change', 3n, [() => [], () => [++world.revision]]],
  ['no later revision', 3n, [() => [], () => []]],
  ['an earlier revision, as changes follow soon', 3n, [replace]],
])('without a control API, events that name %s prove nothing', async (_, first, turns) => {
  announce(first)
  world.announce = () => []
  world.turns = turns
  expect(await judge(WATCHED)).toEqual([])
})

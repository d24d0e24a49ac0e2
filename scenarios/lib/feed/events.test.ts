import { describe, expect, test } from 'vitest'
import { choicesSchema } from '../../../contract/profile.ts'
import type { Target } from '../../../contract/scenario-config.ts'
import {
  countFromNow,
  countSubscribers,
  isForeign,
  isInRoom,
  isRoomEvent,
  listEvents,
  repeats,
  settle,
  whySilent,
  whyUnassigned,
} from './events.ts'
import type { Feed, FeedMessage } from './feed.ts'

const { events } = choicesSchema.parse({})
const message = (type: string, data: object) => ({ type, json: { type, data } })

test.each([
  ['pool_stats:k1', message('PoolStats', { pool: 'k1' }), true],
  ['pool_stats:k1', message('PoolStats', { pool: 'k2' }), false],
  ['pool_stats:k1', message('Trade', { pool: 'k1' }), false],
  ['trades:k1', message('Trade', { pool: 'k1' }), true],
  ['ohlcv:k:1', message('Ohlcv', { pool: 'k:1' }), true],
  ['balances:a1', message('BalanceChange', { address: 'a1' }), true],
  ['balances:a1', message('BalanceChange', { address: 'a2' }), false],
  ['balances:0xAb', message('BalanceChange', { address: '0xaB' }), true],
  ['trades:kA', message('Trade', { pool: 'ka' }), false],
  ['pool_launches', message('PoolLaunch', {}), true],
  ['protocol_config', message('ProtocolConfigChanged', { revision: 1 }), true],
  ['unknown', message('PoolLaunch', {}), false],
])('%s and %j: %j', (room, event, expected) => {
  expect(isInRoom(room, event, events)).toBe(expected)
})

const JOINED = ['pool_stats:k1', 'trades:k2', 'balances:a1']

test.each([
  ['of a joined room', message('PoolStats', { pool: 'k1' }), false],
  ['of another pool', message('PoolStats', { pool: 'k2' }), true],
  ['of another address', message('BalanceChange', { address: 'a2' }), true],
  ['of an address in another case', message('BalanceChange', { address: 'A1' }), false],
  ['of a type that no joined room sends', message('Ohlcv', { pool: 'k1' }), true],
  ['of a type that no joined room sends, whatever it is about', message('PoolLaunch', {}), true],
  ['of a joined type, without its subject', message('Trade', {}), false],
  ['of a type that is not stated', message('Heartbeat', {}), false],
  ['a control', { json: { control: 'resync_required' } }, false],
])('%s: foreign %j', (_, event, expected) => {
  expect(isForeign(JOINED, event, events)).toBe(expected)
})

test('without the path of the pool, no event of a joined type is foreign', () => {
  const untold = choicesSchema.parse({ events: { pool: null } }).events
  expect(isForeign(JOINED, message('PoolStats', { pool: 'k2' }), untold)).toBe(false)
})

test('only the specified types are room events', () => {
  expect(['PoolStats', 'Heartbeat', undefined].map((type) => isRoomEvent(type ? { type } : {}))).toEqual([
    true,
    false,
    false,
  ])
})

describe('events that come again', () => {
  const message = (id: unknown, amount: string) => {
    const json = { type: 'Trade', data: { id, amount } }
    return { type: 'Trade', json, text: JSON.stringify(json) }
  }

  test('a repeat has the same id and the same text', () => {
    const [first, again, other] = [message('t1', '5'), message('t1', '5'), message('t1', '6')]
    expect(repeats([first, other, again, message('t2', '5')], 'data.id')).toEqual([again])
  })

  test('without an id, two equal events may be different', () => {
    expect(repeats([message(undefined, '5'), message(undefined, '5')], 'data.id')).toEqual([])
    expect(repeats([message('t1', '5'), message('t1', '5')], null)).toEqual([])
  })
})

const TARGET = { profile: { choices: choicesSchema.parse({}) } } as Target // as: the only part used

function createFeed(received: FeedMessage[], closed?: { code: number; reason: string }): Feed {
  return {
    received,
    closed: () => closed,
    send() {},
    sendText() {},
    until: async () => false,
    settled: async () => true,
    hasResponded: () => true,
    close() {},
    lastSent: () => '',
    evidence: () => [],
  }
}

const trade = (pool: string): FeedMessage => {
  const json = { type: 'Trade', data: { pool } }
  return { type: 'Trade', json, data: json.data, text: JSON.stringify(json) }
}

test('counts by room, and only new events', () => {
  const received = [trade('k1')]
  const count = countFromNow(TARGET, createFeed(received), ['trades:k1', 'trades:k2'])
  expect(count('trades:k1')).toBe(0)
  received.push(trade('k1'), trade('k3'))
  expect([count('trades:k1'), count('trades:k2')]).toEqual([1, 0])
  received.push(trade('k2'))
  expect([count('trades:k1'), count('trades:k2')]).toEqual([1, 1])
})

test('all events of some rooms', () => {
  const [one, other] = [trade('k1'), trade('k2')]
  expect(listEvents(TARGET, createFeed([one, other]), ['trades:k2', 'ohlcv:k1'])).toEqual([other])
})

test.each([
  ['a close', createFeed([], { code: 1006, reason: '' }), 'the socket was closed with 1006'],
  [
    'a resync_required',
    createFeed([{ control: 'resync_required', json: {}, text: '' }]),
    'the socket got resync_required',
  ],
  [
    'a ping without a pong',
    { ...createFeed([]), hasResponded: () => false },
    'the socket did not respond to a ping',
  ],
  ['nothing', createFeed([{ control: 'other', json: {}, text: '' }]), undefined],
])('%s: %s', (_, feed, why) => {
  expect(whySilent(feed)).toBe(why)
})

test('a resync_required before the messages in question does not explain silence', () => {
  expect(whySilent(createFeed([{ control: 'resync_required', json: {}, text: '' }]), 1)).toBeUndefined()
})

function feedWith(events: number, closed?: { code: number; reason: string }): Feed {
  const received = Array.from({ length: events }, () => ({ type: 'PoolLaunch', json: {}, text: '' }))
  return { received, closed: () => closed, hasResponded: () => true } as unknown as Feed // as: the only parts used
}

const LEFT_OUT = 'one of 2 sockets in the room got none of 3 events'

test.each([
  { feeds: [feedWith(0), feedWith(0)], isSettled: false, leftOut: undefined, why: 'no event yet' },
  { feeds: [feedWith(1), feedWith(1)], isSettled: true, leftOut: undefined, why: 'one each' },
  { feeds: [feedWith(2), feedWith(0)], isSettled: false, leftOut: undefined, why: 'too few events' },
  { feeds: [feedWith(3), feedWith(0)], isSettled: true, leftOut: LEFT_OUT, why: 'none for the second' },
  {
    feeds: [feedWith(3), feedWith(0, { code: 1006, reason: '' })],
    isSettled: true,
    leftOut: undefined,
    why: 'a socket that was lost',
  },
])('of two sockets in a room: $why', ({ feeds, isSettled, leftOut }) => {
  const later = feeds.map(({ received, ...feed }) => ({ ...feed, received: [] as FeedMessage[] }))
  const subscribers = countSubscribers(later, 'PoolLaunch')
  for (const [place, { received }] of later.entries()) received.push(...(feeds[place]?.received ?? []))
  expect([subscribers.isSettled(), subscribers.whoIsLeftOut()]).toEqual([isSettled, leftOut])
})

test('events from before all had joined are due to none of them', () => {
  const subscribers = countSubscribers([feedWith(3), feedWith(0)], 'PoolLaunch')
  expect([subscribers.isSettled(), subscribers.whoIsLeftOut()]).toEqual([false, undefined])
})

describe('events that cannot be assigned to a room', () => {
  const keyless = { type: 'Trade', json: { data: { market: 'k1' } }, text: '{"market":"k1"}' }
  const launch = { type: 'PoolLaunch', json: {}, text: '{}' }
  const unstated = { profile: { choices: choicesSchema.parse({ events: { pool: null } }) } } as Target // as: the only part used

  test.each([
    ['none came', TARGET, [], undefined],
    ['all have their key', TARGET, [trade('k1')], undefined],
    ['one of a type has its key', TARGET, [keyless, trade('k1')], undefined],
    ['a launch, whose room has no key', TARGET, [launch], undefined],
    ['none has its key', TARGET, [keyless, keyless], 'no key at data.pool: {"market":"k1"}'],
    [
      'none of one type has its key',
      TARGET,
      [{ ...trade('k1'), type: 'Ohlcv' }, keyless],
      'no key at data.pool: {"market":"k1"}',
    ],
    [
      'the path is not known',
      unstated,
      [keyless],
      'the profile does not state the path of the key: {"market":"k1"}',
    ],
  ])('%s', (_, target, received, why) => {
    expect(whyUnassigned(target, [createFeed([]), createFeed(received)])).toBe(why)
  })
})

test.each([
  ['waits for nodes that are behind', null, 'until settled'],
  ['has a control API, and waits for the sockets only', {}, 'settled'],
])('a target %s', async (_, control, expected) => {
  const waits: string[] = []
  const feed = {
    ...createFeed([]),
    until: async () => waits.push('until') < 0,
    settled: async () => waits.push('settled') > 0,
  }
  await settle({ profile: { control }, controlToken: 'x' } as Target, [feed]) // as: the only parts used
  expect(waits.join(' ')).toBe(expected)
})

import { expect, test } from 'vitest'
import { choicesSchema } from '../../../contract/profile.ts'
import type { Target } from '../../../contract/scenario-config.ts'
import type { Feed, FeedMessage } from './feed.ts'
import { countFromNow, eventsOf, whySilent } from './feed-count.ts'

const TARGET = { profile: { choices: choicesSchema.parse({}) } } as Target // as: all that is looked at

function feedOf(received: FeedMessage[], closed?: { code: number; reason: string }): Feed {
  return {
    received,
    closed: () => closed,
    send() {},
    sendText() {},
    until: async () => false,
    settled: async () => true,
    close() {},
    lastSent: () => '',
    evidence: () => [],
  }
}

const trade = (pool: string): FeedMessage => {
  const json = { type: 'Trade', data: { pool } }
  return { type: 'Trade', json, data: json.data, text: JSON.stringify(json) }
}

test('counts by room, and only what comes from now on', () => {
  const received = [trade('k1')]
  const count = countFromNow(TARGET, feedOf(received), ['trades:k1', 'trades:k2'])
  expect(count('trades:k1')).toBe(0)
  received.push(trade('k1'), trade('k3'))
  expect([count('trades:k1'), count('trades:k2')]).toEqual([1, 0])
  received.push(trade('k2'))
  expect([count('trades:k1'), count('trades:k2')]).toEqual([1, 1])
})

test('all events of some rooms', () => {
  const [one, other] = [trade('k1'), trade('k2')]
  expect(eventsOf(TARGET, feedOf([one, other]), ['trades:k2', 'ohlcv:k1'])).toEqual([other])
})

test.each([
  ['a close', feedOf([], { code: 1006, reason: '' }), 'the socket was closed with 1006 meanwhile'],
  [
    'a resync_required',
    feedOf([{ control: 'resync_required', json: {}, text: '' }]),
    'the socket was told that it missed events',
  ],
  ['nothing', feedOf([{ control: 'other', json: {}, text: '' }]), undefined],
])('%s: %s', (_, feed, why) => {
  expect(whySilent(feed)).toBe(why)
})

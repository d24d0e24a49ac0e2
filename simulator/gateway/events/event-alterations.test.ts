import { expect, test } from 'vitest'
import { odd } from '../../choices/odd.ts'
import { plain } from '../../choices/plain.ts'
import { eventAlteration } from './event-alterations.ts'
import type { FeedEvent } from './events.ts'

const trade: FeedEvent = { room: 'trades:k', type: 'Trade', data: { pool: 'k' } }

test('without a mutant, or with another, events go out as they are', () => {
  for (const mutant of [null, 'ws-33-rooms'] as const) {
    expect(eventAlteration({ mutant, choices: plain })(trade)).toEqual([trade])
  }
})

test('a mutant spoils its own type of event and no other', () => {
  const alter = eventAlteration({ mutant: 'ws-no-stats', choices: plain })
  expect(alter(trade)).toEqual([trade])
  expect(alter({ room: 'pool_stats:k', type: 'PoolStats', data: {} })).toEqual([])
})

test('finds the key wherever the choices put it, and leaves the event itself alone', () => {
  const launch: FeedEvent = {
    room: 'pool_launches',
    type: 'PoolLaunch',
    data: { event: { market: 'key1', ref: 'r' } },
  }
  const alter = eventAlteration({ mutant: 'ws-launch-key-cut', choices: odd })
  expect(alter(launch)).toEqual([{ ...launch, data: { event: { market: 'key', ref: 'r' } } }])
  expect(launch.data).toEqual({ event: { market: 'key1', ref: 'r' } })
})

test.each([
  [7, 1007],
  ['7', '1007'],
])('a revision ahead is written as it was: %j', (revision, ahead) => {
  const config: FeedEvent = {
    room: 'protocol_config',
    type: 'ProtocolConfigChanged',
    data: { revision, observed_block: 1 },
  }
  const alter = eventAlteration({ mutant: 'ws-config-ahead', choices: plain })
  expect(alter(config)).toEqual([{ ...config, data: { revision: ahead, observed_block: 1 } }])
})

import { expect, test } from 'vitest'
import { choicesSchema } from '../../../contract/profile.ts'
import { isForeign, isOfRoom, isRoomEvent } from './room.ts'

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
  ['pool_launches', message('PoolLaunch', {}), true],
  ['protocol_config', message('ProtocolConfigChanged', { revision: 1 }), true],
  ['unknown', message('PoolLaunch', {}), false],
])('%s and %j: %j', (room, event, expected) => {
  expect(isOfRoom(room, event, events)).toBe(expected)
})

const JOINED = ['pool_stats:k1', 'trades:k2', 'balances:a1']

test.each([
  ['of a joined room', message('PoolStats', { pool: 'k1' }), false],
  ['of another pool', message('PoolStats', { pool: 'k2' }), true],
  ['of another address', message('BalanceChange', { address: 'a2' }), true],
  ['of a type that no joined room sends', message('Ohlcv', { pool: 'k1' }), true],
  ['of a type that no joined room sends, whatever it is about', message('PoolLaunch', {}), true],
  ['of a joined type, without its subject', message('Trade', {}), false],
  ['of a type that is not stated', message('Heartbeat', {}), false],
  ['a control', { json: { control: 'resync_required' } }, false],
])('%s: foreign %j', (_, event, expected) => {
  expect(isForeign(JOINED, event, events)).toBe(expected)
})

test('with the place of the pool untold, no event of a joined type is called foreign', () => {
  const untold = choicesSchema.parse({ events: { pool: null } }).events
  expect(isForeign(JOINED, message('PoolStats', { pool: 'k2' }), untold)).toBe(false)
})

test('only the stated types are events of rooms', () => {
  expect(['PoolStats', 'Heartbeat', undefined].map((type) => isRoomEvent(type ? { type } : {}))).toEqual([
    true,
    false,
    false,
  ])
})

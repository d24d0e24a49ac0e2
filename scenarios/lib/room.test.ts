import { expect, test } from 'vitest'
import { choicesSchema } from '../../contract/profile.ts'
import { isOfRoom } from './room.ts'

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

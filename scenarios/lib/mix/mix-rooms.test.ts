import { expect, test } from 'vitest'
import { createRandom } from '../random.ts'
import { createMemory } from './mix-memory.ts'
import { mixRooms } from './mix-rooms.ts'

const NONE = { pool_stats: 0, ohlcv: 0, trades: 0, pool_launches: 0, protocol_config: 0, balances: 0 }

function rooms(counts: object, address?: string): string[] {
  const memory = createMemory()
  memory.learn({ data: ['a', 'b', 'c'].map((key) => ({ key, token0: 'x', token1: 'y' })) })
  return mixRooms({ counts: { ...NONE, ...counts }, memory, skew: 1, address, random: createRandom(3) })
}

test('as many pool rooms as told, the same pools in each kind', () => {
  const joined = rooms({ pool_stats: 2, trades: 1 })
  expect(joined).toHaveLength(3)
  const [first, second, trades] = joined.map((room) => room.split(':')[1])
  expect(first).not.toBe(second)
  expect(trades).toBe(first)
})

test('no more pool rooms than there are pools', () => {
  expect(rooms({ pool_stats: 30 })).toHaveLength(3)
})

test('the balance room is that of the own wallet, and left out where it is not known', () => {
  const counts = { pool_launches: 1, protocol_config: 1, balances: 1 }
  expect(rooms(counts, 'bw1')).toEqual(['pool_launches', 'protocol_config', 'balances:bw1'])
  expect(rooms(counts)).toEqual(['pool_launches', 'protocol_config'])
})

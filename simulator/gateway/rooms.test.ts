import { expect, test } from 'vitest'
import { createRooms } from './rooms.ts'

test('a room exists while it has members', () => {
  const rooms = createRooms<string>()
  rooms.join('one', 'alice')
  rooms.join('one', 'alice')
  rooms.join('one', 'bob')
  rooms.join('two', 'bob')
  expect([...rooms.members('one')]).toEqual(['alice', 'bob'])
  expect(rooms.count()).toBe(2)
  rooms.leave('one', 'alice')
  expect([...rooms.members('one')]).toEqual(['bob'])
  rooms.leave('one', 'bob')
  rooms.leave('one', 'bob')
  expect([...rooms.members('one')]).toEqual([])
  expect(rooms.count()).toBe(1)
})

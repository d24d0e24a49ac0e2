import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createWantedRooms } from './wanted-rooms.ts'

const room = fc.nat(40).map((number) => `trades:${number}`)

test('the frames make of whatever a socket has joined what is wanted, with no frame too many and no room too many', () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(room, { maxLength: 32 }),
      fc.uniqueArray(room, { maxLength: 32 }),
      (wanted, had) => {
        const rooms = createWantedRooms(wanted)
        const joined = new Set(had)
        let frames = 0
        for (let frame = rooms.nextFrame(joined); frame; frame = rooms.nextFrame(joined)) {
          if (frame.action === 'subscribe') joined.add(frame.room)
          else joined.delete(frame.room)
          frames++
          expect(joined.size).toBeLessThanOrEqual(32)
        }
        expect([...joined].sort()).toEqual([...wanted].sort())
        const kept = had.filter((one) => wanted.includes(one)).length
        expect(frames).toBe(had.length - kept + wanted.length - kept)
      },
    ),
  )
})

test('a change is one only where something changes', () => {
  const rooms = createWantedRooms(['trades:a'])
  const before = rooms.version()
  rooms.join('trades:a')
  rooms.leave('trades:b')
  expect(rooms.version()).toBe(before)
  rooms.leave('trades:a')
  expect([rooms.version() - before, rooms.all()]).toEqual([1, []])
})

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createWantedRooms, renewalMs } from './feed-connection.ts'

const room = fc.nat(40).map((number) => `trades:${number}`)

test('frames turn the joined rooms into the wanted ones, without excess frames or rooms', () => {
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

test('counts only real changes', () => {
  const rooms = createWantedRooms(['trades:a'])
  const before = rooms.version()
  rooms.join('trades:a')
  rooms.leave('trades:b')
  expect(rooms.version()).toBe(before)
  rooms.leave('trades:a')
  expect([rooms.version() - before, rooms.all()]).toEqual([1, []])
})

const fraction = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })

test('renews a ticket with time for another attempt, at a random moment', () => {
  fc.assert(
    fc.property(fraction, (drawn) => {
      expect(renewalMs({ random: () => drawn })).toBeCloseTo(40_000 - 10_000 * drawn, 6)
    }),
  )
})

test('never renews after expiry, whatever the options', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 1_000_000 }), fraction, (afterMs, drawn) => {
      const ms = renewalMs({ random: () => drawn, afterMs, spreadShare: 0.1 })
      expect(ms).toBeLessThan(60_000)
      expect(ms).toBeGreaterThanOrEqual(0.9 * Math.min(59_999, afterMs) - 1e-6)
    }),
  )
})

import { expect, test } from 'vitest'
import { createTestBed } from '../test-bed.ts'
import { roomsAtMost32 } from './rooms-at-most-32.ts'

const rooms = (count: number) => Array.from({ length: count }, (_, place) => `trades:${place}`)
const further = { action: 'subscribe', room: 'trades:x', refusal: 'rooms_full', respelledKey: null } as const

test('accuses of a 33rd room', () => {
  const { open, found } = createTestBed(roomsAtMost32)
  open()
    .authenticate()
    .join(...rooms(32))
    .frame(further)
  expect(found()).toEqual(['socket 1 asked for a further room while it held 32'])
})

test('lets pass who leaves one before', () => {
  const { open, found, cases } = createTestBed(roomsAtMost32)
  const socket = open()
    .authenticate()
    .join(...rooms(32))
  socket.frame({ action: 'unsubscribe', room: 'trades:0' })
  socket.join('trades:32')
  expect([found(), cases()]).toEqual([[], 33])
})

test('lets pass whom a stub refuses that holds fewer', () => {
  const { open, found } = createTestBed(roomsAtMost32)
  open()
    .authenticate()
    .join(...rooms(31))
    .frame(further)
  expect(found()).toEqual([])
})

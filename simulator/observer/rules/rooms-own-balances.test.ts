import { expect, test } from 'vitest'
import { createTestBed } from '../test-bed.ts'
import { roomsOwnBalances } from './rooms-own-balances.ts'

const room = (name: string, refusal: string | null) =>
  ({ action: 'subscribe', room: name, refusal, respelledKey: null }) as const

test('accuses of the balance room of another', () => {
  const { open, found } = createTestBed(roomsOwnBalances)
  open().authenticate().frame(room('balances:bw1other', 'room_forbidden'))
  expect(found()).toEqual(['socket 1 asked for the balance room of another address'])
})

test('lets pass the own one, and rooms that are refused for another reason', () => {
  const { open, found, cases } = createTestBed(roomsOwnBalances)
  const socket = open().authenticate().join('balances:bw1wallet')
  socket.frame(room('balances:bw1wallet', 'rooms_full'))
  socket.frame(room('trades:a', 'room_unknown'))
  expect([found(), cases()]).toEqual([[], 2])
})

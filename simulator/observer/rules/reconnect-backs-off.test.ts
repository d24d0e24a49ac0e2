import { expect, test } from 'vitest'
import { createTestBed } from '../test-bed.ts'
import { reconnectBacksOff } from './reconnect-backs-off.ts'

function loop(waitsMs: readonly number[]) {
  const bed = createTestBed(reconnectBacksOff)
  let socket = bed.open().authenticate()
  for (const waitMs of waitsMs) {
    bed.pass(60_000)
    socket.end()
    bed.pass(waitMs)
    socket = bed.open().authenticate()
  }
  return { ...bed, socket }
}

test('accuses who comes back at once, each time', () => {
  const { found, evidence } = loop([1, 15, 3, 2])
  expect(found()).toEqual(['4 reconnects in a row, each after 1, 15, 3, 2 ms'])
  expect(evidence()).toBe(8)
})

test('accuses who comes back after the same time, each time', () => {
  expect(loop([1000, 1003, 1001, 1000]).found()).toEqual([
    '4 reconnects in a row, each after 1000, 1003, 1001, 1000 ms',
  ])
})

test('lets pass waits that grow, or differ', () => {
  expect(loop([1000, 2000, 4000, 8000, 16_000]).found()).toEqual([])
  expect(loop([212, 480, 33, 210, 390]).found()).toEqual([])
  expect(loop([1, 2, 3]).found()).toEqual([])
})

test('lets pass a client of several sockets, or one that closes them itself', () => {
  const several = loop([1, 1, 1])
  several.open()
  several.socket.end()
  several.open()
  expect(several.found()).toEqual([])

  const own = createTestBed(reconnectBacksOff)
  for (let count = 0; count < 6; count++) own.open().authenticate().leave()
  expect(own.found()).toEqual([])
})

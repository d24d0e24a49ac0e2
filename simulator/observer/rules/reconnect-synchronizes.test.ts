import { expect, test } from 'vitest'
import { createTestBed } from '../test-bed.ts'
import { reconnectSynchronizes } from './reconnect-synchronizes.ts'

function reconnect() {
  const bed = createTestBed(reconnectSynchronizes)
  const lost = bed.open().authenticate().join('trades:a')
  lost.frame({ action: 'synchronize' })
  lost.end()
  bed.pass(1000)
  return { ...bed, socket: bed.open().authenticate().join('trades:a') }
}

test('accuses a socket that never synchronizes in place of a lost one', () => {
  const { pass, found } = reconnect()
  pass(30_000)
  expect(found()).toEqual(['socket 2 is there in place of a lost one for 30 s, and has not sent synchronize'])
})

test('lets pass who synchronizes late', () => {
  const { socket, pass, found, cases } = reconnect()
  pass(29_999)
  socket.frame({ action: 'synchronize' })
  pass(1)
  expect([found(), cases()]).toEqual([[], 1])
})

test('lets pass a socket that is gone before its time is up', () => {
  const { socket, pass, found } = reconnect()
  pass(29_999)
  socket.leave()
  pass(1)
  expect(found()).toEqual([])
})

test('prolongs the time by a leap of the clock', () => {
  const bed = createTestBed(reconnectSynchronizes, { leapMsMax: 5000 })
  bed.open().authenticate().join('trades:a').end()
  bed.open().authenticate().join('trades:a')
  bed.observer.hold()
  bed.pass(60_000)
  bed.observer.release()
  bed.pass(29_999)
  expect(bed.found()).toEqual([])
  bed.pass(1)
  expect(bed.found()).toHaveLength(1)
})

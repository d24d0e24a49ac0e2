import { expect, test } from 'vitest'
import { createTestBed } from '../test-bed.ts'
import { socketAuthenticatesInTime } from './socket-authenticates-in-time.ts'

test('accuses of a socket that had to be closed after 5 seconds', () => {
  const { open, pass, found } = createTestBed(socketAuthenticatesInTime)
  const socket = open()
  pass(5000)
  socket.end('deadlineMissed', 4408)
  expect(found()).toEqual(['socket 1 sent no authenticate frame within 5 s'])
})

test('lets pass who authenticates in the fifth second, leaves before, or was refused', () => {
  const { open, pass, found } = createTestBed(socketAuthenticatesInTime)
  const [late, gone, refused] = [open(), open(), open()]
  refused.authenticate({ outcome: 'refused' })
  refused.end('authenticationFailed', 4401)
  gone.leave()
  pass(4999)
  late.authenticate()
  expect(found()).toEqual([])
})

test('lets pass whom a leap of the clock left no time', () => {
  const { open, pass, observer, found } = createTestBed(socketAuthenticatesInTime, { leapMsMax: 1000 })
  const socket = open()
  observer.hold()
  pass(5000)
  socket.end('deadlineMissed', 4408)
  pass(60_000)
  observer.release()
  expect(found()).toEqual([])
})

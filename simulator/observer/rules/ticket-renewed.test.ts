import { expect, test } from 'vitest'
import { createTestBed } from '../test-bed.ts'
import { ticketRenewed } from './ticket-renewed.ts'

test('accuses of a socket that ended with its ticket', () => {
  const { open, pass, found } = createTestBed(ticketRenewed)
  const socket = open().authenticate()
  pass(60_000)
  socket.end('ticketExpired', 4401)
  expect(found()).toEqual(['the ticket of socket 1 ended after 60 s, and no other had been asked for'])
})

test('lets pass who renewed, or asked for a ticket and got none', () => {
  const { open, pass, arrive, found, cases } = createTestBed(ticketRenewed)
  const [renewed, unlucky] = [open().authenticate(), open().authenticate()]
  pass(45_000)
  arrive({ url: '/auth/ws-ticket' }) // and is never answered
  renewed.authenticate({ outcome: 'renewed' })
  pass(15_000)
  unlucky.end('ticketExpired', 4401)
  expect([found(), cases()]).toEqual([[], 2])
})

test('lets pass whose ticket did not live its 60 seconds', () => {
  const { open, pass, found } = createTestBed(ticketRenewed)
  const socket = open().authenticate()
  pass(30_000)
  socket.end('ticketExpired', 4401)
  expect(found()).toEqual([])
})

test('lets pass whom a leap of the clock left no time', () => {
  const { open, pass, observer, found } = createTestBed(ticketRenewed, { leapMsMax: 5000 })
  const socket = open().authenticate()
  observer.hold()
  pass(60_000)
  socket.end('ticketExpired', 4401)
  observer.release()
  expect(found()).toEqual([])
})

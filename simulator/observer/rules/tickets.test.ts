import { expect, test } from 'vitest'
import { createTestBed } from '../test-bed.ts'
import { ticketFresh, ticketOnly, ticketRenewed, ticketSamePrincipal } from './tickets.ts'

const refused = { action: 'authenticate', digest: 'd', outcome: 'refused' } as const

test.each(['an API token', 'a session token'] as const)('accuses of %s in place of a ticket', (presented) => {
  const { open, found, evidence } = createTestBed(ticketOnly)
  open().frame({ ...refused, presented })
  expect(found()).toEqual([`an authenticate frame with ${presented}`])
  expect(evidence()).toBe(2)
})

test('lets pass a ticket that has expired, or a text that is nothing at all', () => {
  const { open, found, cases } = createTestBed(ticketOnly)
  open().frame({ ...refused, presented: 'unknown' })
  open().authenticate()
  expect([found(), cases()]).toEqual([[], 2])
})

test('accuses of a renewal with the ticket that the socket has', () => {
  const { open, found, evidence } = createTestBed(ticketFresh)
  open().authenticate({ ticket: 'one' }).authenticate({ ticket: 'one', outcome: 'refused' })
  expect(found()).toEqual(['socket 1 sent a ticket that had been used earlier on it'])
  expect(evidence()).toBe(2)
})

test('accuses of a reconnect with the ticket of the lost socket', () => {
  const { open, found } = createTestBed(ticketFresh)
  open().authenticate({ ticket: 'one' }).end()
  open().authenticate({ ticket: 'one', outcome: 'refused' })
  expect(found()).toEqual(['socket 2 sent a ticket that had been used by socket 1, which has closed'])
})

test('lets pass fresh tickets, and two tabs that share one while both are open', () => {
  const { open, found } = createTestBed(ticketFresh)
  open().authenticate({ ticket: 'one' })
  open().authenticate({ ticket: 'one' }).authenticate({ ticket: 'two', outcome: 'renewed' })
  expect(found()).toEqual([])
})

test('lets pass a text that was refused before: it was no ticket', () => {
  const { open, found } = createTestBed(ticketFresh)
  open().authenticate({ ticket: 'none', outcome: 'refused' }).end()
  open().authenticate({ ticket: 'none', outcome: 'refused' })
  expect(found()).toEqual([])
})

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

test('accuses of a renewal with the ticket of another wallet', () => {
  const { open, found } = createTestBed(ticketSamePrincipal)
  open().authenticate().authenticate({ outcome: 'another principal' })
  expect(found()).toEqual(['socket 1 was to be renewed with a ticket of another wallet'])
})

test('lets pass renewals as the same, and another wallet on a socket of its own', () => {
  const { open, found, cases } = createTestBed(ticketSamePrincipal)
  open().authenticate().authenticate({ outcome: 'renewed' })
  open().authenticate({ wallet: 'bw1other' })
  expect([found(), cases()]).toEqual([[], 1])
})

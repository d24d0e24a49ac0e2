import { expect, test } from 'vitest'
import { createTestBed } from '../test-bed.ts'
import { ticketFresh } from './ticket-fresh.ts'

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

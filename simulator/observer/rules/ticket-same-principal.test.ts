import { expect, test } from 'vitest'
import { createTestBed } from '../test-bed.ts'
import { ticketSamePrincipal } from './ticket-same-principal.ts'

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

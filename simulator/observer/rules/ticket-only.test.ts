import { expect, test } from 'vitest'
import { createTestBed } from '../test-bed.ts'
import { ticketOnly } from './ticket-only.ts'

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

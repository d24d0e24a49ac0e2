import { expect, test } from 'vitest'
import { createTestBed } from '../test-bed.ts'
import { inputCanonical } from './input-canonical.ts'

test('accuses of a number in another form that was refused', () => {
  const { ask, found, evidence } = createTestBed(inputCanonical)
  ask({ url: '/pools?limit=1,000', status: 400, code: 'invalid_request', uncanonical: ['limit=1,000'] })
  expect(found()).toEqual(['sent limit=1,000, and was refused'])
  expect(evidence()).toBe(1)
})

test('lets pass a canonical number that is refused for its size', () => {
  const { ask, found, cases } = createTestBed(inputCanonical)
  ask({ url: '/pools?limit=1000', status: 400, code: 'invalid_request' })
  expect([found(), cases()]).toEqual([[], 1])
})

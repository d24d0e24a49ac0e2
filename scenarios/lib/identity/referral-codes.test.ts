import { expect, test, vi } from 'vitest'
import { availableCode, findCountProblem } from './referral-codes.ts'

// Modules that use k6.
vi.mock('../requests/request.ts', () => ({}))

const OWN = { code: 'OWN', issued_to: 'bw1me' }
const USED = { code: 'USED', redeemed_at: '2025-01-02T03:04:05Z', redeemed_by: 'bw1other' }
const FREE = { code: 'FREE', issued_to: 'bw1other', redeemed_at: null, redeemed_by: null }
const EMPTY = { code: 'EMPTY', issued_to: '', redeemed_at: '', redeemed_by: '' }

test.each([
  [[OWN, USED, FREE], 'FREE'],
  [[OWN, USED], undefined],
  [[USED, EMPTY, FREE], 'EMPTY'],
  [[null, 'text', { code: 'BARE' }], 'BARE'],
  ['none', undefined],
])('of %j', (codes, code) => {
  expect(availableCode({ data: { codes } }, { address: 'bw1me' })).toBe(code)
})

test.each([
  [{ total: 3, available: 2, redeemed: 1, codes: [OWN, USED, EMPTY] }, undefined],
  [{ total: 9, available: 8, redeemed: 5, codes: [OWN, USED, EMPTY] }, undefined],
  [{ total: 3, available: 0, redeemed: 0, codes: [OWN, FREE, EMPTY] }, undefined],
  [
    { total: 3, available: 3, redeemed: 0, codes: [OWN, USED, EMPTY] },
    'redeemed is 0, and 1 codes have redeemed_by',
  ],
  [
    { total: 3, available: 3, redeemed: 1, codes: [OWN, USED, EMPTY] },
    'available 3 and redeemed 1 are more than the total 3',
  ],
  [{ codes: [USED] }, undefined],
])('the counts of %j: %s', (data, problem) => {
  expect(findCountProblem({ data })).toBe(problem)
})

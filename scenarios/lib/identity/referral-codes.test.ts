import { expect, test, vi } from 'vitest'
import { availableCode } from './referral-codes.ts'

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

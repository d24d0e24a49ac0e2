import { expect, test, vi } from 'vitest'
import { findSharedPositions } from './swaps-claimed.ts'

// Modules that need k6.
vi.mock('../lib/identity/session.ts', () => ({}))
vi.mock('../lib/identity/wallet.ts', () => ({}))
vi.mock('../lib/market/read-unclaimed.ts', () => ({}))
vi.mock('../lib/identity/credential.ts', () => ({}))
vi.mock('../lib/market/swap-watch.ts', () => ({}))
vi.mock('../lib/requests/walk.ts', () => ({}))
vi.mock('../lib/time/pause.ts', () => ({}))
vi.mock('../lib/requests/confirm.ts', () => ({}))

const ROW = {
  ...{ token_id: 't1', pool: 'p', tick_lower: -10, tick_upper: 10, is_private: false },
  ...{ tokens_owed0: '5', tokens_owed1: '0', last_transaction_hash: 'h1' },
}

test.each([
  { why: 'the same row', other: ROW, shared: true },
  { why: 'more owed since the other read', other: { ...ROW, tokens_owed0: '6' }, shared: true },
  {
    why: 'another transaction, the same amounts',
    other: { ...ROW, last_transaction_hash: 'h2' },
    shared: true,
  },
  {
    why: 'another transaction and other amounts',
    other: { ...ROW, last_transaction_hash: 'h2', tokens_owed0: '6' },
    shared: false,
  },
  { why: 'another pool', other: { ...ROW, pool: 'q' }, shared: false },
  { why: 'another range', other: { ...ROW, tick_upper: 20 }, shared: false },
  { why: 'another id', other: { ...ROW, token_id: 't2' }, shared: false },
  { why: 'a private position', other: { ...ROW, is_private: true }, shared: false },
])('two wallets share a position with $why: $shared', ({ other, shared }) => {
  expect(findSharedPositions([ROW], [other])).toEqual(shared ? [ROW] : [])
})

test('without a transaction, nothing owed proves nothing', () => {
  const { last_transaction_hash: _, ...plain } = ROW
  expect(findSharedPositions([plain], [plain])).toEqual([plain])
  const empty = { ...plain, tokens_owed0: '0' }
  expect(findSharedPositions([empty], [empty])).toEqual([])
})

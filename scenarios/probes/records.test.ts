import { expect, test, vi } from 'vitest'
import { findExchanged } from './records.ts'

// Modules that need k6.
vi.mock('../lib/identity/credential.ts', () => ({}))
vi.mock('../lib/market/read-listed-pool.ts', () => ({}))
vi.mock('../lib/probe/watch-records.ts', () => ({}))
vi.mock('../lib/requests/request.ts', () => ({}))
vi.mock('../lib/requests/request-parsed.ts', () => ({}))
vi.mock('../lib/time/pause.ts', () => ({ pause: async () => undefined }))
vi.mock('./route-checks.ts', () => ({}))

/** A row of two tokens, each with the symbol that follows: "aA bB". */
const row = (text: string) => {
  const [one = '', other = ''] = text.split(' ')
  return { token0: one[0], token0Symbol: one.slice(1), token1: other[0], token1Symbol: other.slice(1) }
}

test.each([
  { why: 'the symbols are exchanged', rows: ['aA bB', 'aA cC', 'bA aB'], found: true },
  { why: 'they are exchanged, and one token has no other row', rows: ['aA bB', 'aC cA'], found: true },
  { why: 'the first symbol is repeated', rows: ['aA bB', 'aA bA'], found: true },
  { why: 'each token has its own', rows: ['aA bB', 'bB cC', 'cC aA'], found: false },
  { why: 'two tokens have the same', rows: ['aA bA', 'cC bA', 'aA cC'], found: false },
  { why: 'a token is renamed', rows: ['aA bB', 'aZ cC'], found: false },
  { why: 'only one row has the tokens', rows: ['aB bA'], found: false },
  { why: 'a row has one token twice', rows: ['aA bB', 'aA aB'], found: false },
])('finds $found where $why', ({ rows, found }) => {
  const problem = 'a row has the symbol of its other token'
  expect(findExchanged(rows.map(row))).toBe(found ? problem : undefined)
})

test('leaves rows with displayFlipped alone', () => {
  const rows = [row('aA bB'), row('aA cC'), { ...row('bA aB'), displayFlipped: true }]
  expect(findExchanged(rows)).toBeUndefined()
})

test('also compares names and decimals', () => {
  const fields = (decimals0: number, decimals1: number) => ({
    ...{ token0: 'a', token0Name: 'A', token0Decimals: decimals0 },
    ...{ token1: 'b', token1Name: 'B', token1Decimals: decimals1 },
  })
  expect(findExchanged([fields(6, 18), fields(18, 6)])).toBe('a row has the decimals of its other token')
  const named = { ...fields(6, 18), token0Name: 'B', token1Name: 'A' }
  expect(findExchanged([fields(6, 18), named])).toBe('a row has the name of its other token')
})

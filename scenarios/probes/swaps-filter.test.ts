import { expect, test, vi } from 'vitest'
import { findLongest, hasMiddlePool, isStuck } from './swaps-filter.ts'

// Modules that need k6.
vi.mock('../lib/identity/credential.ts', () => ({}))
vi.mock('../lib/requests/request.ts', () => ({}))
vi.mock('../lib/requests/request-parsed.ts', () => ({}))
vi.mock('../lib/time/pause.ts', () => ({ pause: async () => undefined }))

const swap = (id: string, pools: string) => ({
  swap_id: id,
  pool: pools[0],
  hops: [...pools].map((pool) => ({ pool })),
})

test.each([
  { pools: 'abc', middle: true },
  { pools: 'abcd', middle: true },
  { pools: 'aba', middle: false },
  { pools: 'ab', middle: false },
  { pools: 'a', middle: false },
])('a route through the pools $pools has one in the middle: $middle', ({ pools, middle }) => {
  expect(hasMiddlePool(swap('s', pools))).toBe(middle)
})

test('a swap without an id cannot be searched for', () => {
  expect(hasMiddlePool({ hops: [{ pool: 'a' }, { pool: 'b' }, { pool: 'c' }] })).toBe(false)
})

test.each([
  { swaps: ['a', 'ab', 'abc', 'abd'], longest: 2 },
  { swaps: ['ab', 'cd'], longest: 0 },
  { swaps: ['a', 'b'], longest: undefined },
])('the longest of $swaps', ({ swaps, longest }) => {
  const rows = swaps.map((pools, index) => swap(String(index), pools))
  expect(findLongest(rows)?.swap_id).toBe(longest === undefined ? undefined : String(longest))
})

test.each([
  { why: 'before all rows', walk: { stuck: 'same', rows: [{}], leastTotal: 2 }, stuck: true },
  { why: 'after all rows', walk: { stuck: 'same', rows: [{}], leastTotal: 1 }, stuck: false },
  { why: 'without a total', walk: { stuck: 'same', rows: [{}], leastTotal: undefined }, stuck: false },
])('a walk that got the same page again $why is stuck: $stuck', ({ walk, stuck }) => {
  expect(isStuck(walk)).toBe(stuck)
})

test('a walk that got no page again is not stuck', () => {
  expect(isStuck({ rows: [{}], leastTotal: 2 })).toBe(false)
})

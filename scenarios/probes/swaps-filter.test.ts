import { expect, test, vi } from 'vitest'
import type { Target } from '../../contract/scenario-config.ts'
import { judgeProbe } from '../lib/verdict/judge.ts'
import { findLongest, hasMiddlePool, isStuck, swapsFilter } from './swaps-filter.ts'

// Modules that need k6.
vi.mock('../lib/identity/credential.ts', () => ({ readCredential: async () => ({}) }))
vi.mock('../lib/market/read-listed-pool.ts', () => ({
  readListedPool: async (_: Target, { key }: { key: string }) => ({ status: 200, json: { data: { key } } }),
}))
vi.mock('../lib/requests/request.ts', () => ({}))
vi.mock('../lib/requests/request-parsed.ts', () => ({
  requestParsed: async () => ({ status: 200, json: { data: swaps() }, evidence: () => '' }),
}))
vi.mock('../lib/requests/walk.ts', () => ({
  readTotal: () => undefined,
  walkPages: async (_: Target, { query }: { query?: { pool: string } }) => {
    const rows = swaps().filter(({ pool }) => !list.isFiltered || pool === (query?.pool ?? pool))
    return { rows, ended: true, mostTotal: list.mostTotal, last: { evidence: () => '' } }
  },
}))
const list = vi.hoisted(() => ({ isFiltered: false, mostTotal: undefined as number | undefined }))
vi.mock('../lib/time/pause.ts', () => ({ pause: async () => undefined }))

const swap = (id: string, pools: string) => ({
  id,
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

/** Through different pools, whatever the filter. */
const swaps = () => [swap('s1', 'a'), swap('s2', 'b')]

test.each([
  {
    why: 'changes nothing',
    isFiltered: false,
    seen: 'fail: 1 of 2 swaps of other pools, filtered by pool (choices.swapsPoolFilter)',
  },
  { why: 'has its total', isFiltered: true, mostTotal: 1, seen: 'pass: no swap of other pools in 4 walks' },
  {
    why: 'has a lower total',
    isFiltered: true,
    mostTotal: 0,
    seen: 'fail: 1 different rows, and then a total of 0: more different rows than the total in each of 4 attempts',
  },
])('a filter that $why', async ({ isFiltered, mostTotal, seen }) => {
  Object.assign(list, { isFiltered, mostTotal })
  const target = { profile: { choices: { swapsPoolFilter: 'pool' } } } as Target // as: all that is read
  const found: string[] = []
  await judgeProbe({
    rules: ['paging.swaps.filter'],
    getExpected: () => '',
    run: (judge) => swapsFilter.run(target, judge),
    scenario: 'test',
    nowMs: () => 0,
    emit: ({ verdict, observed }) => found.push(`${verdict}: ${observed}`.split(' (+')[0] ?? ''),
  })
  expect(found).toEqual([seen])
})

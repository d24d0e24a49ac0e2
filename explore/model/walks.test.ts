import { expect, test } from 'vitest'
import type { Walk } from './state.ts'
import { judge } from './test-done.ts'

const rows = (keys: string) => [...keys].map((key) => ({ key, id: key, token0: key, token1: 'z', fee: '5' }))
const walk = (before: string, found: string, after: string, more: Partial<Walk> = {}) => ({
  status: 200,
  walk: {
    before: rows(before),
    rows: rows(found),
    after: rows(after),
    totals: [before.length],
    isWhole: true,
    ...more,
  },
})

test.each([
  ['every pool', walk('abc', 'abc', 'abc'), 'allowed'],
  ['none of a pool that was always there', walk('abc', 'ab', 'abc'), 'paging.pools.complete'],
  ['none of a pool that came or went', walk('abc', 'ab', 'abd', { totals: [2, 3] }), 'allowed'],
  ['none of a pool, but a page is behind', walk('abc', 'ab', 'abc', { totals: [3, 2] }), 'allowed'],
  [
    'none of a pool, but all pages are of an older list',
    walk('abc', 'ab', 'abc', { totals: [2, 2] }),
    'allowed',
  ],
  ['a new pool', walk('abc', 'abcd', 'abcd', { totals: [3, 4] }), 'allowed'],
  ['fewer rows than the total', walk('abc', 'abc', 'abc', { totals: [4] }), 'paging.pools.complete'],
  ['more rows than the total', walk('abc', 'abca', 'abc'), 'paging.pools.complete'],
  ['a part of the list', walk('abc', 'ab', 'abc', { isWhole: false }), 'allowed'],
  [
    'another key',
    walk('abc', 'abc', 'abc', {
      rows: rows('abc').with(1, { ...rows('b')[0], key: 'x' } as never),
      after: rows('ac'),
    }),
    'paging.key.identical',
  ],
  ['an error that stays', { status: 500, isPersistent: true }, 'paging.pools.complete'],
  ['an error that passes', { status: 500 }, 'allowed'],
  ['a rejected page size', { status: 400 }, 'allowed'],
])('a walk through /pools finds %s', (_, outcome, expected) => {
  expect(judge({ do: 'walk', list: '/pools', size: 2 }, outcome)).toBe(expected)
})

test.each([
  ['no pool', walk('abc', 'ab', 'abc'), 'paging.explore.complete'],
  [
    'pools out of order',
    walk('abc', 'abc', 'abc', {
      rows: [{ key: 'a', createdAt: '2026-01-02' }, { key: 'b', createdAt: '2026-01-01' }, { key: 'c' }],
    }),
    'paging.explore.order',
  ],
])('a walk through /explore/pools finds %s', (_, outcome, expected) => {
  expect(judge({ do: 'walk', list: '/explore/pools', size: 2 }, outcome)).toBe(expected)
})

const swaps = (halves: string, more: Partial<Walk> = {}, after = 'abcd') =>
  walk('abcd', halves, after, { last: 1, totals: [4, 4, 4, 4], ...more })

test.each([
  ['the halves of the page', swaps('abcd'), 'allowed'],
  ['a swap twice', swaps('abbc'), 'paging.swaps.complete'],
  ['another swap', swaps('abce'), 'paging.swaps.complete'],
  ['another swap, but the list has changed', swaps('eabc', {}, 'eabc'), 'allowed'],
  ['several totals', swaps('abcd', { totals: [4, 2, 2, 4] }), 'paging.swaps.complete'],
  ['a list that has grown after the pages', swaps('abcd', { totals: [4, 4, 4, 6] }), 'allowed'],
  ['a page without a total', swaps('abce', { totals: [4, 4, 4] }), 'allowed'],
  ['more swaps at the last offset', swaps('abcd', { last: 2 }), 'paging.swaps.complete'],
  ['too few swaps to page', swaps('ab', { isWhole: false }), 'allowed'],
])('two pages of /swaps have %s', (_, outcome, expected) => {
  expect(judge({ do: 'walk', list: '/swaps', by: 's1', size: 4 }, outcome)).toBe(expected)
})

import { expect, test } from 'vitest'
import type { CommandOf } from '../sequence.ts'
import type { Outcome } from './state.ts'
import { judge } from './test-done.ts'

type Parameters = Partial<CommandOf<'page'>>

const rows = (...keys: string[]) => keys.map((key) => ({ key, id: key }))
const page = (data: unknown, total: unknown = 9, more: object = {}) => ({
  status: 200,
  body: { data, pagination: { total, limit: 20, offset: 0, ...more } },
})
const BAD = { status: 400, body: { error: 'no' } }
const POOL = { key: 'k1', token0: 'a', token1: 'b', fee: '5', isEnabled: true, from: '/pools' }
const KEY = { for: 'key', place: 0 } as const
const NAME = { for: 'name', place: 0 } as const
const created = (...times: string[]) => times.map((createdAt, key) => ({ key, createdAt }))
const [EARLY, LATE] = ['2026-01-01T00:00:00Z', '2026-01-02T00:00:00Z']

test.each<[string, Parameters, Outcome, string]>([
  ['a page', {}, page(rows('a', 'b')), 'allowed'],
  ['one row', { limit: '1' }, page(rows('a')), 'allowed'],
  ['two rows for one', { limit: '1' }, page(rows('a', 'b')), 'paging.limit.accepts-1'],
  ['an empty page', { limit: '7' }, page([]), 'paging.limit.accepts-100'],
  ['an empty page past the end', { limit: '7', offset: '9' }, page([]), 'allowed'],
  ['an empty list', {}, page([], 0), 'allowed'],
  ['a rejected page of 100', { limit: '100' }, BAD, 'paging.limit.accepts-100'],
  ['an error that may pass', {}, { status: 500 }, 'allowed'],
  ['an error that stays', {}, { status: 500, isPersistent: true }, 'paging.limit.accepts-100'],
  ['a 401', {}, { status: 401 }, 'access.public.explore'],
  ['a row twice', {}, page(rows('a', 'b', 'a')), 'paging.explore.complete'],
  ['a total as text', {}, page(rows('a'), '9'), 'paging.pagination.fields'],
  ['no offset', {}, page(rows('a'), 9, { offset: undefined }), 'paging.pagination.fields'],
  ['limit 0 served', { limit: '0' }, page(rows('a')), 'paging.limit.rejects-0'],
  ['limit 0 rejected', { limit: '0' }, BAD, 'allowed'],
  ['limit 0 rejected with 422', { limit: '0' }, { status: 422 }, 'paging.limit.rejects-0'],
  ['limit 101', { limit: '101' }, page(rows('a')), 'paging.limit.rejects-101'],
  ['limit -10', { limit: '-10' }, page(rows('a')), 'paging.limit.rejects-negative'],
  ['limit many', { limit: 'many' }, page(rows('a')), 'paging.limit.rejects-text'],
  ['offset start', { offset: 'start' }, page(rows('a')), 'paging.offset.rejects-text'],
  ['a spelling of the profile', { limit: '1e2' }, page(rows('a')), 'paging.limit.canonical'],
  ['a spelling of the profile, as offset', { offset: '1e2' }, page(rows('a')), 'paging.limit.canonical'],
  ['a plus sign, which many parsers accept', { limit: '+5' }, page(rows('a')), 'allowed'],
  ['another spelling', { limit: '0x10' }, page(rows('a')), 'allowed'],
  [
    'another spelling and no window',
    { limit: '0x10', window: 'never' },
    page([]),
    'paging.explore.rejects-window',
  ],
  ['window never', { window: 'never' }, page(rows('a')), 'paging.explore.rejects-window'],
  ['window 1w rejected', { window: '1w' }, BAD, 'paging.explore.window-accepted'],
  ['order sideways', { order: 'sideways' }, page(rows('a')), 'paging.explore.rejects-order'],
  ['in order', { isSorted: true, order: 'asc' }, page(created(EARLY, LATE)), 'allowed'],
  ['out of order', { isSorted: true, order: 'desc' }, page(created(EARLY, LATE)), 'paging.explore.order'],
  ['any order of another sort', { order: 'desc' }, page(created(EARLY, LATE)), 'allowed'],
  ['found by key', { search: KEY }, { ...page(rows('k1'), 1), subject: { pool: POOL, total: 9 } }, 'allowed'],
  [
    'not found',
    { search: KEY },
    { ...page(rows('k2'), 1), subject: { pool: POOL, total: 9 } },
    'paging.explore.search',
  ],
  [
    'perhaps on a later page',
    { search: KEY },
    { ...page(rows('k2'), 5), subject: { pool: POOL, total: 9 } },
    'allowed',
  ],
  [
    'everything found',
    { search: KEY },
    { ...page(rows('k1'), 9), subject: { pool: POOL, total: 9 } },
    'paging.explore.search',
  ],
  ['found by name', { search: NAME }, { ...page([{ token1: 'a' }], 1), subject: { token: 'a' } }, 'allowed'],
  [
    'not by name',
    { search: NAME },
    { ...page([], 0), subject: { token: 'a' } },
    'paging.explore.search-name',
  ],
  ['a search that fails', { search: NAME }, { status: 404 }, 'paging.explore.search-name'],
])('/explore/pools: %s', (_, parameters, outcome, expected) => {
  expect(judge({ do: 'page', list: '/explore/pools', ...parameters }, outcome)).toBe(expected)
})

test.each<[string, Parameters, Outcome, string]>([
  ['a page', {}, page(rows('a', 'b')), 'allowed'],
  ['a limit that is rejected', { limit: '50' }, BAD, 'allowed'],
  ['a 403', {}, { status: 403 }, 'access.public.pools'],
  ['a row twice', {}, page(rows('a', 'a')), 'paging.pools.complete'],
  ['rows near the end', { offset: '10' }, page(rows('a')), 'allowed'],
  ['rows past the end', { offset: '5000' }, page(rows('a')), 'paging.pools.ends'],
  ['an error past the end', { offset: '5000' }, { status: 500, isPersistent: true }, 'paging.pools.ends'],
])('/pools: %s', (_, parameters, outcome, expected) => {
  expect(judge({ do: 'page', list: '/pools', ...parameters }, outcome)).toBe(expected)
})

const through = (...pools: string[]) => ({
  id: pools.join(),
  pool: pools[0],
  hops: pools.map((pool) => ({ pool })),
})
const FILTERED = { subject: { pool: POOL } }

test.each<[string, Parameters, Outcome, string]>([
  ['a page', { by: 's1' }, page(rows('a', 'b')), 'allowed'],
  ['a page to an API token', { by: 't1', limit: '1' }, page(rows('a')), 'allowed'],
  ['an active session rejected', { by: 's1' }, { status: 401 }, 'auth.verify.signs-in'],
  ['an ended session served', { by: 's2' }, page([]), 'auth.logout.current-only'],
  ['an ended session rejected', { by: 's2', limit: '0' }, { status: 401 }, 'allowed'],
  ['a request without a credential', {}, { status: 401 }, 'allowed'],
  ['one that is served', {}, page([]), 'auth.credentials.missing-401'],
  ['two rows for one', { by: 's1', limit: '1' }, page(rows('a', 'b')), 'paging.swaps.accepts-1'],
  ['101 rejected', { by: 's1', limit: '101' }, BAD, 'allowed'],
  [
    '101 rows',
    { by: 's1', limit: '101' },
    page(rows(...Array.from({ length: 101 }, String)), 200),
    'paging.swaps.at-most-100',
  ],
  ['0 as a page', { by: 's1', limit: '0' }, page(rows('a')), 'allowed'],
  ['0 as no rows', { by: 's1', limit: '0' }, page([]), 'paging.swaps.at-least-1'],
  ['a row twice', { by: 's1' }, page(rows('a', 'a')), 'paging.swaps.complete'],
  [
    'through the pool',
    { by: 's1', pool: 0 },
    { ...page([through('k1'), through('k2', 'k1')]), ...FILTERED },
    'allowed',
  ],
  [
    'through another',
    { by: 's1', pool: 0 },
    { ...page([through('k2')]), ...FILTERED },
    'paging.swaps.filter',
  ],
])('/swaps: %s', (_, parameters, outcome, expected) => {
  expect(judge({ do: 'page', list: '/swaps', ...parameters }, outcome)).toBe(expected)
})

const read = (data: object, pool: object = {}) => ({
  status: 200,
  body: { data },
  subject: { pool: { ...POOL, ...pool } },
})
const EXPLORE_READS = 'paging.explore.key-reads'
const EXPLORED = { from: '/explore/pools', fee: undefined }

test.each<[string, Outcome, string]>([
  ['itself', read({ key: 'k1', token0: 'a', token1: 'b', fee: '5' }), 'allowed'],
  ['another key', read({ key: 'k2', token0: 'a', token1: 'b', fee: '5' }), 'paging.key.round-trip'],
  ['another fee', read({ key: 'k1', token0: 'a', token1: 'b', fee: '6' }), 'paging.key.round-trip'],
  ['turned tokens', read({ key: 'k1', token0: 'b', token1: 'a', fee: '5' }), 'paging.key.round-trip'],
  ['turned tokens of explore', read({ key: 'k1', token0: 'b', token1: 'a', fee: '5' }, EXPLORED), 'allowed'],
  ['another key of explore', read({ key: 'k2', token0: 'b', token1: 'a' }, EXPLORED), EXPLORE_READS],
  ['one token twice', read({ key: 'k1', token0: 'a', token1: 'a' }, EXPLORED), EXPLORE_READS],
  ['nothing of explore', { status: 404, subject: { pool: { ...POOL, ...EXPLORED } } }, EXPLORE_READS],
  [
    'nothing of a disabled row of explore',
    { status: 404, subject: { pool: { ...POOL, ...EXPLORED, isEnabled: false } } },
    'allowed',
  ],
  ['nothing', { status: 404, subject: { pool: POOL } }, 'paging.key.round-trip'],
  ['a 401', { status: 401, subject: { pool: POOL } }, 'access.public.pools'],
])('a key reads %s', (_, outcome, expected) => {
  expect(judge({ do: 'read-pool', pool: 0 }, outcome)).toBe(expected)
})

test.each<[string, Outcome, string]>([
  ['a list', { status: 200, body: { data: [] } }, 'allowed'],
  ['a count', { status: 200, body: { data: 3 } }, 'wire.tokens.list'],
  ['a 401', { status: 401 }, 'access.public.tokens'],
])('/tokens: %s', (_, outcome, expected) => {
  expect(judge({ do: 'list-registry' }, outcome)).toBe(expected)
})

import { expect, test } from 'vitest'
import { choicesSchema } from '../../../contract/profile.ts'
import { createRecordWatch } from './record-problems.ts'
import { findRepeatedRows } from './repeated-rows.ts'

const find = (endpoint: string, data: unknown) =>
  findRepeatedRows(endpoint, { data }, 3).map(({ rule, problem }) => `${rule}: ${problem}`)

test.each([
  {
    endpoint: 'GET /pools',
    data: [{ key: 'a' }, { key: 'b' }, { key: 'a' }],
    found: ['paging.pools.complete: a row twice in one response: a'],
  },
  {
    endpoint: 'GET /explore/pools',
    data: [
      { key: 'a', id: '1' },
      { key: 'a', id: '1' },
    ],
    found: ['paging.explore.complete: a row twice in one response: a, 1'],
  },
  {
    endpoint: 'GET /swaps',
    data: [
      { id: '1', swap_id: 's', nonce: '1' },
      { id: '1', swap_id: 's', nonce: '2' },
    ],
    found: ['paging.swaps.complete: a row twice in one response: 1, s'],
  },
  {
    endpoint: 'GET /unclaimed',
    data: { pending_swaps: [{ swap_id: 's' }, { swap_id: 's' }, { swap_id: 's', is_private: true }] },
    found: ['wire.unclaimed.record: a row twice in one response: {"swap_id":"s"}'],
  },
  { endpoint: 'GET /pools', data: [{ key: 'a' }, { key: 'b' }, {}, {}], found: [] },
  { endpoint: 'GET /pools', data: Array(4).fill({ key: 'a' }), found: [] },
  {
    endpoint: 'GET /swaps',
    data: [
      { id: '1', swap_id: 's' },
      { id: '2', swap_id: 's' },
    ],
    found: [],
  },
  { endpoint: 'GET /tokens', data: [{ key: 'a' }, { key: 'a' }], found: [] },
])('$endpoint with $data has $found', ({ endpoint, data, found }) => {
  expect(find(endpoint, data)).toEqual(found)
})

test('a row counts the second time that a response has it twice', () => {
  const watch = createRecordWatch()
  const pool = { key: 'a', token0: 'b', token1: 'c', enabled: true, fee: '0.3' }
  const json = { data: [pool, pool], pagination: { total: 2, limit: 2, offset: 0 } }
  const read = () => {
    const reply = { status: 200, json, headers: {}, evidence: () => 'shown' }
    watch.check({ method: 'GET', path: '/pools', query: { limit: '2' } }, reply, choicesSchema.parse({}))
    return [...watch.takeFound().keys()]
  }
  expect([read(), read()]).toEqual([[], ['paging.pools.complete']])
})

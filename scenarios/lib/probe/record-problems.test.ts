import { expect, test } from 'vitest'
import { choicesSchema } from '../../../contract/profile.ts'
import { createRecordWatch, findContradictions } from './record-problems.ts'

const CHOICES = choicesSchema.parse({ protocolState: { revision: 'data.revision' } })
const PAGINATION = { total: 1, limit: 1, offset: 0 }
const POOL = { key: 'a:b', token0: 'a', token1: 'b', enabled: true, fee: '0.3' }

const PAGE = { data: [POOL], pagination: PAGINATION }
const SWAP = {
  ...{ id: '1', swap_id: 's', user: 'u', recipient: 'u', pool: 'a', hops: [], transaction: 't' },
  ...{ input_token: 'x', output_token: 'y', input_amount: '1', output_amount: '1', amount_remaining: '0' },
  ...{ is_private: false, nonce: '1', executed_at: 'now' },
}
const HIDDEN = { input_amount: '', output_amount: '', amount_remaining: '' }
const NO_SWAPS = { data: [], pagination: { total: 0, limit: 100, offset: 0 } }

type Case = {
  path: string
  route?: string
  query?: Record<string, string>
  status?: number
  json: unknown
  headers?: Record<string, string>
}

function lookAt({ path, route, query, status = 200, json, headers = {} }: Case) {
  const watch = createRecordWatch()
  const spec = { method: 'GET' as const, path, ...(route && { route }), ...(query && { query }) }
  watch.check(spec, { status, json, headers, evidence: () => 'shown' }, CHOICES)
  return [...watch.takeFound()].flatMap(([rule, found]) => found.map(({ problem }) => `${rule}, ${problem}`))
}

const KEY = { path: '/pools/a%3Ab', route: '/pools/{key}' }
const MINIMUM = { path: '/protocol/state', query: { minimum_revision: '7' } }
const PENDING = { error: 'not yet', code: 'protocol_revision_pending' }

test.each<Case & { found: string }>([
  {
    path: '/pools',
    json: { data: [POOL, { ...POOL, fee: 0.3 }], pagination: PAGINATION },
    found: 'wire.pools.record, GET /pools: /data/1/fee must be string',
  },
  {
    path: '/pools',
    json: { data: [POOL], pagination: { ...PAGINATION, total: '1' } },
    found: 'paging.pagination.fields, GET /pools: pagination /total must be integer',
  },
  {
    path: '/pools',
    query: { limit: '2', offset: '1' },
    json: { data: [POOL], pagination: { total: 2, limit: 2, offset: 0 } },
    found: 'paging.pagination.fields, GET /pools: pagination offset 0, requested 1',
  },
  {
    path: '/swaps',
    query: { limit: '100' },
    json: { data: [], pagination: { total: 0, limit: 20, offset: 0 } },
    found: 'paging.pagination.fields, GET /swaps: pagination limit 20, requested 100',
  },
  {
    path: '/swaps',
    query: { limit: '1', pool: 'a' },
    json: { data: [SWAP, SWAP], pagination: { total: 2, limit: 1, offset: 0 } },
    found: 'paging.swaps.accepts-1, GET /swaps: 2 rows, requested 1',
  },
  {
    path: '/swaps',
    query: { limit: '50', pool: 'a' },
    json: { data: Array(51).fill(SWAP), pagination: { total: 51, limit: 50, offset: 0 } },
    found: 'paging.swaps.accepts-100, GET /swaps: 51 rows, requested 50',
  },
  {
    path: '/swaps',
    json: { ...NO_SWAPS, data: [{ ...SWAP, input_amount: '' }] },
    found: 'wire.swaps.record, GET /swaps: input_amount of a public swap is empty',
  },
  {
    path: '/tokens',
    json: { tokens: [] },
    found: 'wire.success.payload-in-data, GET /tokens: no `data`',
  },
  {
    ...KEY,
    json: { data: { ...POOL, key: 'a:b ' } },
    found: 'paging.key.round-trip, GET /pools/{key}: read by the key a:b, but has the key a:b ',
  },
  {
    ...MINIMUM,
    json: { data: { revision: 6 } },
    found: 'protocol.minimum.served, GET /protocol/state: revision 6, requested at least 7',
  },
  {
    ...MINIMUM,
    status: 503,
    json: PENDING,
    headers: { 'retry-after': '-1' },
    found: 'protocol.pending.retry-after, GET /protocol/state: Retry-After: -1',
  },
])('finds $found', ({ found, ...seen }) => {
  expect(lookAt(seen)).toEqual([found])
})

test.each<Case & { why: string }>([
  { path: '/pools', json: { data: [POOL], pagination: PAGINATION }, why: 'a record that fits' },
  {
    path: '/swaps',
    json: { ...NO_SWAPS, data: [{ ...SWAP, is_private: true, ...HIDDEN }] },
    why: 'amounts that are hidden',
  },
  { path: '/pools', query: { limit: '50' }, json: PAGE, why: 'a limit of /pools that is clamped' },
  { path: '/swaps', query: { limit: '101' }, json: NO_SWAPS, why: 'a limit of /swaps that is clamped' },
  { path: '/swaps', query: { limit: '0' }, json: NO_SWAPS, why: 'a limit of 0 that is not rejected' },
  {
    path: '/swaps',
    query: { limit: '0' },
    json: { data: [SWAP], pagination: { total: 1, limit: 20, offset: 0 } },
    why: 'rows for a limit of 0, which other rules cover',
  },
  { path: '/swaps', query: { offset: '9' }, json: NO_SWAPS, why: 'an offset beyond the total' },
  { path: '/pools', status: 400, json: { error: 'no' }, why: 'a refusal' },
  { path: '/pools', json: undefined, why: 'what may have been cut on its way' },
  { path: '/positions', json: { rows: 1 }, why: 'an endpoint whose body is not stated' },
  { ...KEY, json: { data: POOL }, why: 'the pool of the key' },
  { ...MINIMUM, json: { data: { revision: 7 } }, why: 'a revision as high as requested' },
  { ...MINIMUM, status: 503, json: PENDING, headers: { 'retry-after': '2' }, why: 'a wait in seconds' },
  { ...MINIMUM, status: 503, json: { error: 'down' }, why: 'a 503 of another kind' },
])('lets pass $why', (seen) => {
  expect(lookAt(seen)).toEqual([])
})

test('shows no body that holds codes, and what it found once only', () => {
  const watch = createRecordWatch()
  const reply = { status: 200, json: { data: {} }, headers: {}, evidence: () => 'a code' }
  watch.check({ method: 'GET', path: '/referral/codes' }, reply, CHOICES)
  watch.neverParsed({ method: 'GET', path: '/pools' }, reply)
  const found = watch.takeFound()
  expect(found.get('admin.codes.record')?.[0]?.evidence).toBe('GET /referral/codes -> 200')
  expect(found.get('wire.body.json')).toHaveLength(1)
  expect(watch.takeFound().size).toBe(0)
})

const SIDES = { input_token: 'a', output_token: 'b' }
const OUTPUT = { token_in: 'a', token_out: 'b' }

function listFound(endpoint: string, data: unknown) {
  return findContradictions(endpoint, { data }).map(({ rule, problem }) => `${rule}: ${problem}`)
}

test.each([
  { row: { ...SIDES, input_token_info: { id: 'a' }, output_token_info: { id: 'b' } }, found: [] },
  { row: { ...SIDES, output_token_info: { id: 'c' } }, found: [] },
  { row: { ...SIDES, output_token: 'a', output_token_info: { id: 'a' } }, found: [] },
  {
    row: { ...SIDES, output_token_info: { id: 'a' } },
    found: ['wire.token-info.record: output_token_info is that of input_token'],
  },
])('the swap $row has the contradictions $found', ({ row, found }) => {
  expect(listFound('GET /swaps', [row])).toEqual(found)
})

test('a pending swap and a position have contradictions', () => {
  const data = {
    pending_swaps: [{ output: OUTPUT, token_in_info: { id: 'b' }, token_out_info: { id: 'b' } }],
    positions_with_owed: [
      { tick_lower: -5, tick_upper: 5 },
      { tick_lower: 5, tick_upper: 5 },
      { tick_lower: 5, tick_upper: -5 },
    ],
  }
  expect(listFound('GET /unclaimed', data)).toEqual([
    'wire.token-info.record: token_in_info is that of output.token_out',
    'wire.unclaimed.record: tick_lower 5 is above tick_upper -5',
  ])
  expect(listFound('GET /pools', data)).toEqual([])
})

test.each([
  { fields: { price: '1,234.5' }, found: ['price has separators or other digits'] },
  { fields: { priceUsd: '1234,5' }, found: ['priceUsd has separators or other digits'] },
  { fields: { price: '-1234.5', tvlUsd: '1e6', feePercent: '0,3' }, found: [] },
])('a pool with $fields has the problems $found', ({ fields, found }) => {
  const seen = lookAt({ path: '/explore/pools', json: { data: [fields] } })
  const spelled = seen.filter((problem) => problem.includes('separators'))
  expect(spelled).toEqual(found.map((problem) => `wire.explore-pools.record, GET /explore/pools: ${problem}`))
})

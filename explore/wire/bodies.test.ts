import { expect, test } from 'vitest'
import { createErrorCheck, findRecordProblems, isSpecified } from './bodies.ts'
import { nameEndpoint } from './endpoint.ts'

const pagination = { total: 1, limit: 1, offset: 0 }
const info = { address: 'a', decimals: 6, id: '1', name: 'A', symbol: 'A' }
const pool = { key: 'k', token0: '1', token1: '2', enabled: true, fee: '0.3' }
const explorePool = {
  ...{ id: 'i', key: 'k', token0: '1', token1: '2', displayFlipped: false, enabled: true, feePercent: '0.3' },
  ...{ token0Name: 'A', token0Symbol: 'A', token1Name: 'B', token1Symbol: 'B', createdAt: 'now' },
  ...{ token0Decimals: 6, token1Decimals: 6, tvlUsd: null },
}
const swap = {
  ...{ id: 'i', swap_id: 's', user: 'u', recipient: 'r', pool: 'k', input_token: '1', output_token: '2' },
  ...{
    hops: [{ pool: 'k', zero_for_one: true }],
    input_amount: '5',
    output_amount: '4',
    amount_remaining: '0',
  },
  ...{ is_private: false, nonce: 'n', executed_at: 'now', transaction: 't', input_token_info: info },
}
const owed = {
  ...{ token_id: 't', pool: 'k', tick_lower: -1, tick_upper: 1, tokens_owed0: '1', tokens_owed1: '0' },
  ...{ is_frozen: false, is_private: false, token0_info: info },
}
const tier = { id: 'i', fee_tier: 3000, created_at: 'now', transaction: 't' }
const input = { name: 'n', type: 'u64', description: 'd', visibility: 'public' }
const entry = { id: 'i', program: 'p', function: 'f', description: 'd', visibility: 'v', inputs: [input] }
const codes = { total: 1, available: 1, redeemed: 0, codes: [{ code: 'c', created_at: 'now' }] }

type Row = [endpoint: string, right: object, wrong: object | null, rule: string]
const ROWS: Row[] = [
  [
    'GET /pools',
    { data: [pool], pagination },
    { data: [{ ...pool, fee: 3 }], pagination },
    'wire.pools.record',
  ],
  ['GET /pools', { data: [pool], pagination }, { data: [pool] }, 'paging.pagination.fields'],
  ['GET /pools', { data: [], pagination }, { rows: [], pagination }, 'wire.success.payload-in-data'],
  ['GET /pools/k', { data: pool }, { data: { ...pool, enabled: 'true' } }, 'wire.pool.record'],
  ['GET /pools/k', { data: pool }, { data: { ...pool, key: 'other' } }, 'paging.key.round-trip'],
  [
    'GET /explore/pools?limit=5',
    { data: [explorePool], pagination },
    { data: [{ ...explorePool, tvlUsd: 5 }], pagination },
    'wire.explore-pools.record',
  ],
  [
    'GET /explore/pools',
    { data: [explorePool], pagination, valuation: null },
    { data: [explorePool], pagination, valuation: { decimals: -1 } },
    'wire.explore-pools.valuation',
  ],
  ['GET /tokens', { data: {} }, {}, 'wire.success.payload-in-data'],
  [
    'GET /swaps',
    { data: [{ ...swap, is_private: true, input_amount: '', output_amount: '' }], pagination },
    { data: [{ ...swap, input_amount: '' }], pagination },
    'wire.swaps.record',
  ],
  [
    'GET /swaps',
    { data: [swap], pagination },
    { data: [{ ...swap, output_amount: '-4' }], pagination },
    'wire.swaps.record',
  ],
  [
    'GET /swaps',
    { data: [swap], pagination },
    { data: [{ ...swap, input_token_info: { ...info, decimals: '6' } }], pagination },
    'wire.token-info.record',
  ],
  [
    'GET /unclaimed',
    { data: { pending_swaps: [], positions_with_owed: [owed] } },
    { data: { pending_swaps: [], positions_with_owed: [{ ...owed, tokens_owed0: 1 }] } },
    'wire.unclaimed.record',
  ],
  ['GET /fee-tiers', { data: [tier] }, { data: [{ ...tier, fee_tier: '3000' }] }, 'wire.fee-tiers.record'],
  [
    'GET /schema/trading',
    { data: [{ ...entry, inputs: [{ ...input, fields: [{ whatever: 1 }] }] }] },
    { data: [{ ...entry, inputs: null }] },
    'wire.schema-trading.record',
  ],
  [
    'GET /access/status',
    { data: { has_access: true } },
    { data: { has_access: 'true' } },
    'referral.access.record',
  ],
  ['GET /referral/status', { data: { has_access: true } }, { data: { code: 5 } }, 'referral.status.record'],
  ['GET /referral/codes', { data: codes }, { data: { ...codes, total: '1' } }, 'admin.codes.record'],
  ['GET /auth/ws-ticket', { data: { ticket: 't' } }, { ticket: 't' }, 'wire.success.payload-in-data'],
  [
    'POST /auth/challenge',
    { data: { nonce: 'n', message: 'm' } },
    { data: { nonce: 1, message: 'm' } },
    'auth.challenge.shape',
  ],
]

function find(call: string, body: unknown, status = 200): string[] {
  const [method, path = ''] = call.split(' ') as ['GET' | 'POST', string] // as: written above
  const request = { method, path }
  const exchanged = { request, endpoint: nameEndpoint(request), reply: { status, body, cookies: {} } }
  return [...new Set(findRecordProblems(exchanged).map(({ rule }) => rule))]
}

test.each(ROWS)('%s: %#', (call, right, wrong, rule) => {
  expect(find(call, right)).toEqual([])
  expect(find(call, wrong)).toEqual([rule])
})

test('bodies of rejections, bodies that did not parse and open endpoints are not checked', () => {
  expect(find('GET /pools', { error: 'no' }, 400)).toEqual([])
  expect(find('GET /pools', undefined)).toEqual([])
  expect(find('GET /pools/stats', { anything: 1 })).toEqual([])
})

test.each([
  ['GET /pools/a%2Fb', 'GET /pools/{key}'],
  ['GET /pools/stats', 'GET /pools/stats'],
  ['GET /swaps?limit=1', 'GET /swaps'],
  ['DELETE /api-tokens/5', 'DELETE /api-tokens/{id}'],
  ['POST /auth/sessions/5/revoke', 'POST /auth/sessions/{session_id}/revoke'],
] as const)('%s is %s', (call, endpoint) => {
  const [method, path = ''] = call.split(' ') as ['GET', string] // as: written above
  expect(nameEndpoint({ method, path })).toBe(endpoint)
})

test('only reads with a specified body must parse', () => {
  expect(isSpecified('GET /tokens')).toBe(true)
  expect(isSpecified('GET /health')).toBe(false)
  expect(isSpecified('POST /auth/challenge')).toBe(false)
})

const right = { error: 'no', code: null, ref: 'r' }
const raw = { headers: { 'content-type': 'application/json' }, text: '', httpOnly: [] }

function countProblems(
  endpoint: string,
  status: number,
  body: unknown,
  { times = 1, path = '/x', type = '' } = {},
) {
  const check = createErrorCheck()
  const reply = { status, body, cookies: {}, raw: type ? { ...raw, headers: { 'content-type': type } } : raw }
  let found: number = -1
  for (let time = 0; time < times; time++)
    found = check({ endpoint, request: { method: 'GET', path }, reply }).length
  return found
}

test.each([
  ['an object as error', { error: { text: 'no' } }],
  ['no error', { message: 'no' }],
  ['an empty object', {}],
  ['a number as code', { error: 'no', code: 5 }],
  ['a number as ref', { error: 'no', ref: 5 }],
])('%s breaks the rule', (_, body) => {
  expect(countProblems('GET /swaps', 401, right)).toBe(0)
  expect(countProblems('GET /swaps', 401, body)).toBe(1)
})

test.each([
  ['a success', 'GET /swaps', 200, {}],
  ['an endpoint whose behavior is open', 'GET /health', 401, {}],
  ['a rate limit', 'GET /swaps', 429, {}],
  ['a gateway error', 'GET /swaps', 502, {}],
  ['a missing endpoint', 'GET /swaps', 404, {}],
  ['the first internal error', 'GET /swaps', 500, {}],
  ['a page', 'GET /swaps', 401, undefined],
])('not checked: %s', (_, endpoint, status, body) => {
  expect(countProblems(endpoint, status, body)).toBe(0)
})

test('a 403 counts only without parameters, which a firewall may dislike', () => {
  expect(countProblems('GET /swaps', 403, {})).toBe(1)
  expect(countProblems('GET /swaps', 403, {}, { path: '/swaps?limit=1' })).toBe(0)
})

test('the second alike internal error and the second 404 that is no JSON count', () => {
  expect(countProblems('GET /swaps', 500, {}, { times: 2 })).toBe(1)
  expect(countProblems('GET /route', 404, undefined, { times: 1 })).toBe(0)
  expect(countProblems('GET /route', 404, undefined, { times: 2 })).toBe(1)
  expect(countProblems('GET /route', 404, undefined, { times: 2, type: 'text/html' })).toBe(0)
})

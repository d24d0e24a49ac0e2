import { expect, test } from 'vitest'
import { createErrorCheck } from './errors.ts'

const right = { error: 'no', code: null, ref: 'r' }
const raw = { headers: { 'content-type': 'application/json' }, text: '', httpOnly: [] }

function find(endpoint: string, status: number, body: unknown, { times = 1, path = '/x', type = '' } = {}) {
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
  expect(find('GET /swaps', 401, right)).toBe(0)
  expect(find('GET /swaps', 401, body)).toBe(1)
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
  expect(find(endpoint, status, body)).toBe(0)
})

test('a 403 counts only without parameters, which a firewall may dislike', () => {
  expect(find('GET /swaps', 403, {})).toBe(1)
  expect(find('GET /swaps', 403, {}, { path: '/swaps?limit=1' })).toBe(0)
})

test('the second alike internal error and the second 404 that is no JSON count', () => {
  expect(find('GET /swaps', 500, {}, { times: 2 })).toBe(1)
  expect(find('GET /route', 404, undefined, { times: 1 })).toBe(0)
  expect(find('GET /route', 404, undefined, { times: 2 })).toBe(1)
  expect(find('GET /route', 404, undefined, { times: 2, type: 'text/html' })).toBe(0)
})

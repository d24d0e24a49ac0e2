import { describe, expect, test, vi } from 'vitest'
import { choicesSchema } from '../../../contract/profile.ts'
import { redactor } from '../redact.ts'
import {
  createReply,
  explainMissingRead,
  explainNotTheExchange,
  type ServerResponse,
  tallyStatuses,
  withEvidence,
} from './reply.ts'

const response = { status: 200, error: '', body: '{"data":[1]}', headers: {}, cookies: {} }
const reply = (more: object, path = '/pools') =>
  createReply(`GET ${path}`, path, { ...response, ...more }, { choices: choicesSchema.parse({}) })

test('a body is parsed lazily and once', () => {
  const parse = vi.spyOn(JSON, 'parse')
  const page = reply({})
  expect(parse).not.toHaveBeenCalled()
  expect([page.json, page.json]).toEqual([{ data: [1] }, { data: [1] }])
  expect(parse).toHaveBeenCalledTimes(1)
  parse.mockRestore()
})

test('names of headers are in lower case, and cookies as they were set', () => {
  const headers = { 'Content-Type': 'text/html', 'Retry-After': '3' }
  const cookies = { a: [{ name: 'a', value: 'x', http_only: true }], b: [{ name: 'b', value: '' }] }
  const { headers: seen, contentType, cookies: set } = reply({ headers, cookies })
  expect(seen).toEqual({ 'content-type': 'text/html', 'retry-after': '3' })
  expect(contentType).toBe('text/html')
  expect(set).toEqual([
    { name: 'a', value: 'x', httpOnly: true },
    { name: 'b', value: '', httpOnly: false },
  ])
})

test.each([
  [{ path: '', max_age: 0 }, {}],
  [
    { path: '/auth', max_age: 900 },
    { path: '/auth', maxAge: 900 },
  ],
  [
    { path: '/', max_age: -1 },
    { path: '/', maxAge: 0 },
  ],
  [{ expires: -6795364578871 }, {}],
  [{ expires: 0 }, { expiresMs: 0 }],
  [{ expires: 1_750_000_000_000 }, { expiresMs: 1_750_000_000_000 }],
])('the attributes of a cookie are read from %j of k6', (attributes, read) => {
  const { cookies } = reply({ cookies: { a: [{ name: 'a', value: 'x', ...attributes }] } })
  expect(cookies).toStrictEqual([{ name: 'a', value: 'x', httpOnly: false, ...read }])
})

test.each([
  { what: 'not JSON', body: '<html>', json: undefined },
  { what: 'nothing', body: null, json: undefined },
])('a body that is $what has no JSON', ({ body, json }) => {
  expect(reply({ body }).json).toBe(json)
})

test.each([
  { what: 'a CSRF token', path: '/auth/verify', more: { body: '{"data":{"csrf_token":"secret-csrf-1"}}' } },
  {
    what: 'a cookie from any endpoint',
    path: '/pools',
    more: {
      headers: { 'Set-Cookie': 'a=secret-cookie-1' },
      cookies: { a: [{ name: 'a', value: 'secret-cookie-1' }] },
    },
  },
])('$what is registered with the redactor before the response is read', ({ path, more }) => {
  reply(more, path)
  expect(redactor.redact('secret-csrf-1 secret-cookie-1')).toContain('<redacted>')
  redactor.forgetSince(0)
})

test('a copy with other evidence keeps all other fields', () => {
  const read = withEvidence(reply({ body: '{"a":1}' }), () => 'nothing to see')
  expect({ ...read, evidence: read.evidence() }).toEqual({
    status: 200,
    json: { a: 1 },
    text: '{"a":1}',
    contentType: '',
    location: undefined,
    headers: {},
    cookies: [],
    evidence: 'nothing to see',
  })
})

test('a missing response is shown with its cause', () => {
  expect(reply({ status: 0, error: 'connection refused', body: null }).evidence()).toBe(
    'GET /pools -> no response (connection refused) ',
  )
})

describe('not the exchange', () => {
  const response = (changes: Partial<ServerResponse>): ServerResponse => ({
    status: 200,
    contentType: 'application/json',
    text: '{}',
    json: {},
    location: undefined,
    ...changes,
  })

  test.each([
    [{}, undefined],
    [{ status: 204, contentType: '', text: '' }, undefined],
    [{ status: 200, contentType: 'text/plain', text: 'ok' }, undefined],
    [{ status: 403, contentType: 'text/html', text: '<html>' }, undefined],
    [
      { status: 307, location: 'https://elsewhere.example/' },
      'a redirect to https://elsewhere.example/, not followed',
    ],
    [{ status: 301 }, 'a redirect to nowhere, not followed'],
    [{ contentType: 'text/html; charset=utf-8', text: 'x' }, 'an HTML page instead of JSON'],
    [{ contentType: '', text: '\n<!DOCTYPE html>' }, 'an HTML page instead of JSON'],
  ])('an answer %j: %s', (changes, why) => {
    expect(explainNotTheExchange(response(changes))).toBe(why)
  })

  test.each([
    [{}, undefined],
    [{ status: 401 }, undefined],
    [{ status: 404 }, 'not found: 404'],
    [{ json: null }, 'not a JSON object: 200'],
    [{ status: 204, json: undefined }, 'not a JSON object: 204'],
    [{ status: 302, location: '/login' }, 'a redirect to /login, not followed'],
    [{ status: 403, contentType: 'text/html', text: '<html>' }, 'an HTML page: 403'],
  ])('a read that every exchange has, %j: %s', (changes, why) => {
    expect(explainMissingRead(response(changes))).toBe(why)
  })
})

test.each([
  [[200, 409], '200, 409'],
  [[409, 200, 409, 409], '200, 3 x 409'],
  [[], ''],
])('%j', (statuses, text) => {
  expect(tallyStatuses(statuses.map((status) => ({ status })))).toBe(text)
})

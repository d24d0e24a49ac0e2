import { expect, test, vi } from 'vitest'
import { choicesSchema } from '../../../contract/profile.ts'
import { redactor } from '../secrets/redact.ts'
import { createReply, withEvidence } from './reply.ts'

const answer = { status: 200, error: '', body: '{"data":[1]}', headers: {}, cookies: {} }
const reply = (more: object, path = '/pools') =>
  createReply(`GET ${path}`, path, { ...answer, ...more }, { choices: choicesSchema.parse({}) })

test('a body is parsed when it is asked for, and once', () => {
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
  { what: 'no JSON', body: '<html>', json: undefined },
  { what: 'nothing', body: null, json: undefined },
])('a body that is $what has no JSON', ({ body, json }) => {
  expect(reply({ body }).json).toBe(json)
})

test.each([
  { what: 'a CSRF token', path: '/auth/verify', more: { body: '{"data":{"csrf_token":"secret-csrf-1"}}' } },
  {
    what: 'a cookie that anybody sets',
    path: '/pools',
    more: {
      headers: { 'Set-Cookie': 'a=secret-cookie-1' },
      cookies: { a: [{ name: 'a', value: 'secret-cookie-1' }] },
    },
  },
])('$what is known to the redactor before anything of the answer is read', ({ path, more }) => {
  reply(more, path)
  expect(redactor.redact('secret-csrf-1 secret-cookie-1')).toContain('<redacted>')
  redactor.forgetSince(0)
})

test('with other words for evidence it has all the rest', () => {
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

test('no answer is told with its cause', () => {
  expect(reply({ status: 0, error: 'connection refused', body: null }).evidence()).toBe(
    'GET /pools -> no answer (connection refused) ',
  )
})

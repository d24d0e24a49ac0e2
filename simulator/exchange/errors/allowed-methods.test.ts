import { expect, test } from 'vitest'
import { createTestBed } from '../test-bed.ts'

test.each([
  ['PUT', '/pools', 'GET, HEAD'],
  ['TRACE', '/pools', 'GET, HEAD'],
  ['DELETE', '/pools/some-key?x=y', 'GET, HEAD'],
  ['GET', '/auth/verify', 'POST'],
  ['PATCH', '/api-tokens', 'GET, HEAD, POST'],
  ['POST', '/api-tokens/some-id', 'DELETE'],
] as const)('answers %s %s with 405, and with the methods that it takes: %s', async (method, url, allow) => {
  const { app } = await createTestBed()
  const response = await app.inject({ method: method as 'PUT', url }) // as: its types lack TRACE
  expect([response.statusCode, response.json().code, response.headers.allow]).toEqual([
    405,
    'method_not_allowed',
    allow,
  ])
})

test.each(['/', '/pool', '/pools/', '/pools/a/b', '/auth/sessions//revoke'])(
  'has nothing at %s',
  async (url) => {
    const { call } = await createTestBed()
    const response = await call(url, { method: 'PUT' })
    expect([response.statusCode, response.headers.allow]).toEqual([404, undefined])
  },
)

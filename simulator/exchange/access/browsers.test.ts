import { beforeEach, expect, it } from 'vitest'
import { createTestBed, type TestBed } from '../test-bed.ts'

let bed: TestBed

beforeEach(async () => {
  bed = await createTestBed()
})

it.each(['http://localhost:5173', 'http://127.0.0.1', 'https://[::1]:8443'])(
  'allows a page of %s, with cookies',
  async (origin) => {
    const { headers } = await bed.call('/pools', { headers: { origin } })
    expect(headers['access-control-allow-origin']).toBe(origin)
    expect(headers['access-control-allow-credentials']).toBe('true')
  },
)

it.each(['https://evil.example', 'http://localhost.evil.example', 'http://127.0.0.1.evil.example', 'null'])(
  'allows no page of %s',
  async (origin) => {
    const { headers } = await bed.call('/pools', { headers: { origin } })
    expect(headers['access-control-allow-origin']).toBeUndefined()
  },
)

it('allows a preflight for a POST with the CSRF header', async () => {
  const response = await bed.call('/auth/logout', {
    method: 'OPTIONS',
    headers: {
      origin: 'http://localhost:5173',
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'x-csrf-token',
    },
  })
  expect(response.statusCode).toBe(204)
  expect(response.headers['access-control-allow-headers']).toContain('x-csrf-token')
  expect(response.headers['access-control-allow-methods']).toContain('POST')
})

it.each([
  ['not decodable', '/pools/%E0%A4%A', 400],
  ['unknown', '/nothing', 404],
  ['without credentials', '/swaps', 401],
])('shows a page the rejection of a path that is %s', async (_, path, status) => {
  const origin = 'http://127.0.0.1:5173'
  const { statusCode, headers } = await bed.call(path, { headers: { origin } })
  expect(statusCode).toBe(status)
  expect(headers).toMatchObject({
    vary: 'Origin',
    'access-control-allow-origin': origin,
    'access-control-allow-credentials': 'true',
    'access-control-expose-headers': 'date, retry-after',
  })
})

it('shows a foreign page no rejection, not even that of a path that is not decodable', async () => {
  const { headers } = await bed.call('/pools/%E0%A4%A', { headers: { origin: 'https://evil.example' } })
  expect(headers.vary).toBe('Origin')
  expect(headers['access-control-allow-origin']).toBeUndefined()
})

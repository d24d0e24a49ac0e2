import { connect } from 'node:net'
import { expect, it, test } from 'vitest'
import { errorBodySchema } from '../../contract/schemas/wire.ts'
import { ERRORS } from '../choices/error-codes.ts'
import { type Call, createTestBed, type TestBed } from './test-bed.ts'

const JSON_TYPE = { 'content-type': 'application/json' }

const CASES: [string, number, string, Call & { url: string }][] = [
  ['an unknown path', 404, 'not_found', { url: '/nowhere' }],
  ['a method that a path does not take', 405, 'method_not_allowed', { url: '/pools', method: 'PUT' }],
  ['a GET of a path for POST', 405, 'method_not_allowed', { url: '/auth/verify' }],
  ['a path that cannot be decoded', 400, 'invalid_request', { url: '/pools/%' }],
  ['a path segment beyond bounds', 400, 'invalid_request', { url: `/pools/${'x'.repeat(5000)}` }],
  [
    'JSON that ends early',
    400,
    'invalid_request',
    { url: '/auth/challenge', method: 'POST', body: '{"address":', headers: JSON_TYPE },
  ],
  [
    'JSON that is not an object',
    400,
    'invalid_request',
    { url: '/auth/challenge', method: 'POST', body: '[]', headers: JSON_TYPE },
  ],
  ['no body', 400, 'invalid_request', { url: '/auth/challenge', method: 'POST' }],
  [
    'no body, said to be JSON',
    400,
    'invalid_request',
    { url: '/auth/challenge', method: 'POST', headers: JSON_TYPE },
  ],
  [
    'a form',
    415,
    'media_type_unsupported',
    {
      url: '/auth/challenge',
      method: 'POST',
      body: 'address=a',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    },
  ],
  [
    'a body over 64 KB',
    413,
    'body_too_large',
    { url: '/auth/challenge', method: 'POST', body: { address: 'a'.repeat(65_536) } },
  ],
]

async function call(bed: TestBed, { url, ...rest }: Call & { url: string }) {
  return bed.call(url, rest)
}

it.each(CASES)(
  'responds to %s with %i and an error body, whose ref is in the log',
  async (_, status, code, request) => {
    const bed = await createTestBed()
    const response = await call(bed, request)
    expect(response.statusCode).toBe(status)
    const body = errorBodySchema.strict().parse(response.json())
    expect(body.code).toBe(code)
    expect(response.headers.date).toBe('Wed, 01 Jan 2025 00:00:00 GMT')
    const line = JSON.parse(bed.logLines.at(-1) ?? '{}')
    expect(line).toMatchObject({ ref: body.ref, status, code })
  },
)

it('responds to an internal failure with 500, and logs its location, not its contents', async () => {
  const bed = await createTestBed()
  bed.views.pools = () => {
    throw new RangeError('secret inside')
  }
  const response = await bed.call('/pools')
  expect(response.statusCode).toBe(500)
  expect(response.json()).toEqual({ error: ERRORS.internal.error, code: 'internal', ref: expect.any(String) })
  expect(JSON.parse(bed.logLines.at(-1) ?? '{}').source).toMatch(/^RangeError at .*errors\.test\.ts/)
  expect(bed.logLines.join('\n')).not.toContain('secret inside')
})

it('a response that does not fit its schema fails every test that gets it', async () => {
  const bed = await createTestBed()
  bed.views.head = () => ({ height: 0.5, hash: '', timeMs: 0 })
  await expect(bed.call('/ready')).rejects.toThrow('GET /ready, 200: the body does not fit its schema')
})

it.each([
  '{"__proto__":{"address":"a"}}',
  '{"__proto__":{"polluted":true},"address":"a"}',
  '{"constructor":{"prototype":{"polluted":true}},"address":"a"}',
])('reads only the known fields of %s, and sets no prototype', async (body) => {
  const { call } = await createTestBed()
  const response = await call('/auth/challenge', { method: 'POST', body, headers: JSON_TYPE })
  expect(response.statusCode).toBe(body.includes('polluted') ? 200 : 400)
  expect(({} as { polluted?: boolean }).polluted).toBeUndefined()
})

it('accepts a request without a body that claims JSON', async () => {
  const bed = await createTestBed()
  const me = await bed.signIn()
  const response = await bed.call('/auth/logout', {
    method: 'POST',
    cookies: me.cookies,
    headers: { ...me.headers, ...JSON_TYPE },
  })
  expect(response.statusCode).toBe(200)
})

it.each([
  ['bytes that are not HTTP', 'hello\r\n\r\n', 400],
  ['headers beyond bounds', `GET / HTTP/1.1\r\nHost: a\r\nx: ${'x'.repeat(20_000)}\r\n\r\n`, 431],
])('responds to %s with an error body, too', async (_, bytes, status) => {
  const { app } = await createTestBed()
  const address = await app.listen({ host: '127.0.0.1', port: 0 })
  const response = await exchangeBytes(Number(new URL(address).port), bytes)
  await app.close()
  const [head, body] = response.split('\r\n\r\n')
  expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
  expect(head).toContain('Date: Wed, 01 Jan 2025 00:00:00 GMT')
  expect(errorBodySchema.parse(JSON.parse(body ?? '')).code).toBe('invalid_request')
})

function exchangeBytes(port: number, bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let response = ''
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes))
    socket.on('data', (chunk) => {
      response += chunk.toString()
    })
    socket.on('close', () => resolve(response))
    socket.on('error', reject)
  })
}

test.each([
  ['PUT', '/pools', 'GET, HEAD'],
  ['TRACE', '/pools', 'GET, HEAD'],
  ['DELETE', '/pools/some-key?x=y', 'GET, HEAD'],
  ['GET', '/auth/verify', 'POST'],
  ['PATCH', '/api-tokens', 'GET, HEAD, POST'],
  ['POST', '/api-tokens/some-id', 'DELETE'],
] as const)('responds to %s %s with 405, and the allowed methods: %s', async (method, url, allow) => {
  const { app } = await createTestBed()
  const response = await app.inject({ method: method as 'PUT', url }) // as: its types lack TRACE
  expect([response.statusCode, response.json().code, response.headers.allow]).toEqual([
    405,
    'method_not_allowed',
    allow,
  ])
})

test.each(['/', '/pool', '/pools/', '/pools/a/b', '/auth/sessions//revoke'])(
  'finds nothing at %s',
  async (url) => {
    const { call } = await createTestBed()
    const response = await call(url, { method: 'PUT' })
    expect([response.statusCode, response.headers.allow]).toEqual([404, undefined])
  },
)

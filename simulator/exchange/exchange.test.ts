import type { RouteOptions } from 'fastify'
import { expect, test } from 'vitest'
import { ERRORS } from '../choices/error-codes.ts'
import { listErrors } from './exchange.ts'
import { createTestBed } from './test-bed.ts'

const handler = () => ({})

test.each([
  ['a public read', { method: 'GET', config: { access: 'public' } }, ['rate_limited', 'internal']],
  [
    'a probe of an orchestrator',
    { method: 'GET', config: { access: 'public', rateLimit: false } },
    ['internal'],
  ],
  [
    'a read with a query',
    {
      method: ['GET', 'HEAD'],
      config: { access: 'cred', errors: ['no_route'] },
      schema: { querystring: {} },
    },
    [
      'no_route',
      'invalid_request',
      'credentials_missing',
      'credentials_invalid',
      'access_required',
      'rate_limited',
      'internal',
    ],
  ],
  [
    'a write of a session, also of a wallet without access',
    { method: 'POST', config: { servesWithoutAccess: true }, schema: { body: {} } },
    [
      'invalid_request',
      'body_too_large',
      'media_type_unsupported',
      'credentials_missing',
      'credentials_invalid',
      'session_required',
      'csrf_required',
      'rate_limited',
      'internal',
    ],
  ],
  [
    'a write of an administrator',
    { method: 'DELETE', config: { access: 'admin' } },
    [
      'credentials_missing',
      'credentials_invalid',
      'admin_required',
      'csrf_required',
      'rate_limited',
      'internal',
    ],
  ],
] as const)('%s', (_, route, expected) => {
  const { method } = route
  // as: of a route, what counts
  const found = listErrors({ ...route, method: [method].flat(), url: '/', handler } as never)
  expect([...found].sort()).toEqual([...expected].sort())
})

/**
 * The specification gives the number of error bodies for three endpoints. This counts those that not every endpoint may return;
 * 401 has one, whatever its code.
 */
test.each([
  ['POST', '/api-tokens', 8],
  ['DELETE', '/api-tokens/:id', 5],
  ['POST', '/tokens/mint', 7],
] as const)('%s %s documents as many error bodies as the specification: %i', async (method, url, count) => {
  const bed = await createTestBed()
  const bodies = new Set<string>()
  bed.app.addHook('onRequest', async ({ routeOptions }) => {
    for (const code of listErrors(routeOptions as RouteOptions)) {
      bodies.add(ERRORS[code].status === 401 ? '401' : code)
    }
  })
  expect((await bed.call(url, { method })).statusCode).toBe(401)
  expect([...bodies].filter((body) => body !== 'rate_limited' && body !== 'internal')).toHaveLength(count)
})

test('the test bed detects a response that its route does not document', async () => {
  const bed = await createTestBed()
  bed.app.get('/silent', { config: { access: 'public' } }, (_request, reply) => reply.code(418).send({}))
  await expect(bed.call('/silent')).rejects.toThrow('GET /silent returned 418, its schema has 429, 500')
})

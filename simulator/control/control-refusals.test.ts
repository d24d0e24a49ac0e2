import { expect, test } from 'vitest'
import { errorBodySchema } from '../../contract/schemas/wire.ts'
import { CONTROL_ERRORS } from './resource.ts'
import { RESOURCES } from './resources.ts'
import { type Call, createTestBed, TOKEN } from './test-bed.ts'

test.each([{ body: '' }, { body: {} }, {}])('accepts %j for a resource without input', async (request) => {
  const { call } = createTestBed()
  const headers = { 'content-type': 'application/json' }
  expect((await call({ url: '/indexer/hold', headers, ...request })).status).toBe(200)
})

test.each<[string, Call]>([
  ['an advance backwards', { url: '/clock/advance', body: { ms: -1 } }],
  ['an advance of more than 30 days', { url: '/clock/advance', body: { ms: 30 * 86_400_000 + 1 } }],
  ['an advance by a fraction', { url: '/clock/advance', body: { ms: 0.5 } }],
  ['an advance by text', { url: '/clock/advance', body: { ms: '5' } }],
  ['an advance by nothing', { url: '/clock/advance' }],
  ['no blocks', { url: '/mine', body: { blocks: 0 } }],
  ['1,001 blocks', { url: '/mine', body: { blocks: 1001 } }],
  ['an unknown scope', { url: '/revision', body: { scope: 'fees', key: 'x' } }],
  ['an empty key', { url: '/revision', body: { scope: 'pause', key: '' } }],
  ['no reorg', { url: '/reorg', body: { depth: 0 } }],
  ['an unknown way to mine', { url: '/mining', body: { mode: 'often' } }],
  ['mining without its interval', { url: '/mining', body: { mode: 'interval' } }],
  ['mining without end', { url: '/mining', body: { mode: 'interval', intervalMs: 0 } }],
  ['a lag of nothing', { url: '/lag', body: {} }],
  ['a lag of two kinds', { url: '/lag', body: { blocks: 1, ms: 1 } }],
  ['a lag below zero', { url: '/lag', body: { ms: -1 } }],
  ['a revert to nothing', { url: '/revert', body: {} }],
  ['a close code that no peer may send', { url: '/sockets/close', body: { id: 1, code: 1006 } }],
  ['a socket without its number', { url: '/sockets/close', body: {} }],
  ['a journal page of nothing', { method: 'GET', url: '/journal?limit=0' }],
  ['a journal page of 1,001', { method: 'GET', url: '/journal?limit=1001' }],
  ['a journal from no number', { method: 'GET', url: '/journal?after=' }],
  ['a journal from an exponent', { method: 'GET', url: '/journal?after=1e2' }],
  ['an unknown query', { method: 'GET', url: '/status?x=1' }],
  ['a reset to something', { url: '/reset', body: { snapshot: 'x' } }],
  ['an unknown field', { url: '/indexer/hold', body: { blocks: 1 } }],
  ['a body that is not JSON', { url: '/mine', body: '{', headers: { 'content-type': 'application/json' } }],
  [
    'a body that is not an object',
    { url: '/mine', body: '5', headers: { 'content-type': 'application/json' } },
  ],
  ['another media type', { url: '/mine', body: 'blocks=1', headers: { 'content-type': 'text/plain' } }],
])('refuses %s and changes nothing', async (_name, request) => {
  const { call, world } = createTestBed()
  const before = [world.clock.nowMs(), world.views.head().height]
  const { status, body } = await call(request)
  expect(status).toBe(400)
  expect(errorBodySchema.parse(body).code).toBe('invalid_request')
  expect([world.clock.nowMs(), world.views.head().height]).toEqual(before)
})

test('names all problems of a body at once', async () => {
  const { call } = createTestBed()
  const { body } = await call({ url: '/revision', body: { scope: 'fees', key: 5 } })
  expect(body.error).toMatch(/scope: .*; key: /)
})

test.each([
  ['/nothing', 'GET'],
  ['/status', 'POST'],
  ['/mine', 'GET'],
] as const)('rejects the unknown %s %s', async (url, method) => {
  const { call } = createTestBed()
  const { status, body } = await call({ method, url })
  expect([status, body]).toEqual([404, { error: CONTROL_ERRORS.not_found.error, code: 'not_found' }])
})

test.each([...RESOURCES.map(({ method, path }) => [method, path] as const), ['GET', '/nothing'] as const])(
  'refuses %s %s without the token',
  async (method, url) => {
    const { call } = createTestBed()
    for (const authorization of ['', TOKEN, 'Bearer ', `Bearer ${TOKEN}x`, `Basic ${TOKEN}`]) {
      const { status, body, headers } = await call({ method, url, headers: { authorization } })
      expect([status, body.code]).toEqual([401, 'unauthorized'])
      expect(headers['www-authenticate']).toBe('Bearer')
    }
  },
)

test('refuses a Host that is not the loopback, token or not', async () => {
  const { call } = createTestBed()
  const { status, body } = await call({
    method: 'GET',
    url: '/status',
    headers: { host: 'example.com:9000' },
  })
  expect([status, body.code]).toEqual([403, 'host_refused'])
})

test('responds to a failure of the stub with 500 and writes the details to the log, not the response', async () => {
  const { call, logLines } = createTestBed({
    restart() {
      throw new Error('broken inside')
    },
  })
  const { status, body } = await call({ url: '/gateway/restart' })
  expect([status, body]).toEqual([500, { error: 'internal error', code: 'internal' }])
  expect(logLines.join()).toContain('broken inside')
})

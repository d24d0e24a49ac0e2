import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { NO_HOOKS } from '../faults/faults.ts'
import type {
  Hooks,
  RequestAction,
  RequestContext,
  ResponseAction,
  ResponseContext,
} from '../faults/hooks.ts'
import { connectRaw } from '../http/test-raw-peer.ts'
import { createTestBed, type TestBed } from './test-bed.ts'

async function createFaultyBed({ request, response }: Partial<Hooks>) {
  const hooks = { ...NO_HOOKS, request: request ? [request] : null, response: response ? [response] : null }
  const bed = await createTestBed({ faults: { hooks } })
  return { bed, hooks, send: (path: string) => requestRaw(bed, path) }
}

async function requestRaw({ app }: TestBed, path: string) {
  onTestFinished(() => void app.server.closeAllConnections())
  if (!app.server.listening) await app.listen({ host: '127.0.0.1', port: 0 })
  onTestFinished(() => app.close())
  const { port } = app.server.address() as AddressInfo // as: it listens on a port
  const peer = await connectRaw(port)
  peer.write(`GET ${path} HTTP/1.1\r\nhost: x\r\n\r\n`)
  return peer
}

const always =
  <Action extends ResponseAction | RequestAction>(action: Action) =>
  () =>
    action

test('reports each request and response to faults', async () => {
  const seen: (RequestContext | ResponseContext)[] = []
  const see = (one: RequestContext | ResponseContext) => void seen.push({ ...one })
  const { bed } = await createFaultyBed({ request: see, response: see } as Partial<Hooks>)
  const { headers } = bed.bearer()
  await bed.call('/pools/no-such?x=1', { headers: { ...headers, 'user-agent': 'tests' } })
  await bed.call('/nowhere')
  const { address } = bed.wallets.trader
  const credentialId = bed.auth.apiTokens.list(address)[0]?.id
  const known = { method: 'GET', route: '/pools/:key', address, credentialId, userAgent: 'tests' }
  expect(seen).toMatchObject([
    { ref: 'r0000001', ...known, remoteAddress: '127.0.0.1' },
    {
      ref: 'r0000001',
      ...known,
      status: 404,
      body: expect.stringMatching(/^\{"error":"no pool has this key"/),
    },
    { ref: 'r0000002', route: null, address: null, credentialId: null },
    { ref: 'r0000002', status: 404 },
  ])
})

test('responds instead of the route, ahead of access levels', async () => {
  const { bed } = await createFaultyBed({
    request: always({
      do: 'respond',
      status: 502,
      headers: { via: '1.1 proxy' },
      body: '<p>',
      contentType: 'text/html',
    }),
  })
  const { statusCode, headers, body } = await bed.app.inject('/swaps')
  expect({ statusCode, body }).toEqual({ statusCode: 502, body: '<p>' })
  expect(headers).toMatchObject({ via: '1.1 proxy', 'content-type': 'text/html', 'content-length': '3' })
})

test('changes the response', async () => {
  const { bed } = await createFaultyBed({ response: always({ do: 'respond', status: 200, body: '{' }) })
  expect(await bed.call('/protocol/state')).toMatchObject({
    statusCode: 200,
    body: '{',
    headers: { 'content-length': '1', date: expect.any(String) },
  })
})

test('adds headers', async () => {
  const { bed } = await createFaultyBed({
    response: always({ do: 'headers', headers: { 'x-cache': 'STALE' } }),
  })
  expect((await bed.call('/protocol/state')).headers).toMatchObject({ 'x-cache': 'STALE' })
})

test.each(['request', 'response'] as const)('delays the %s, by the virtual clock', async (hook) => {
  const { bed } = await createFaultyBed({ [hook]: always({ do: 'delay', ms: 50 }) })
  let status = 0
  const responded = bed.call('/protocol/state').then(({ statusCode }) => (status = statusCode))
  await eventLoopTurns()
  bed.clock.advance(49)
  await eventLoopTurns()
  expect(status).toBe(0)
  bed.clock.advance(1)
  expect(await responded).toBe(200)
})

test.each(['request', 'response'] as const)('cuts the connection at the %s', async (hook) => {
  const { send } = await createFaultyBed({ [hook]: always({ do: 'reset' }) })
  const { socket, ended } = await send('/protocol/state')
  const [error] = await once(socket, 'error')
  expect(error.code).toBe('ECONNRESET')
  expect(String(await ended)).toBe('')
})

test.each(['request', 'response'] as const)(
  'sends nothing, and holds the connection, at the %s',
  async (hook) => {
    const { bed, hooks, send } = await createFaultyBed({ [hook]: always({ do: 'hang' }) })
    const { socket, received } = await send('/protocol/state')
    await eventLoopTurns()
    hooks[hook] = null
    expect((await bed.app.inject('/protocol/state')).statusCode).toBe(200)
    expect([socket.bytesRead, socket.readyState]).toEqual([0, 'open'])
    received('anything').catch(() => {})
  },
)

test('cuts the body short of what the head promises', async () => {
  const { bed, hooks, send } = await createFaultyBed({ response: always({ do: 'truncate', bytes: 10 }) })
  const cut = String(await (await send('/protocol/state')).ended)
  hooks.response = null
  const { body, headers } = await bed.call('/protocol/state')
  expect(cut).toContain(`content-length: ${headers['content-length']}`)
  expect(cut.split('\r\n\r\n')[1]).toBe(body.slice(0, 10))
})

test('limits the body’s bytes per second of the virtual clock', async () => {
  const { bed, send } = await createFaultyBed({ response: always({ do: 'trickle', bytesPerSecond: 100 }) })
  const { received } = await send('/protocol/state')
  const { headers, body } = await (await createTestBed()).call('/protocol/state')
  await received('\r\n\r\n')
  for (let left = Number(headers['content-length']); left > 0; left -= 10) {
    bed.clock.advance(100)
    await eventLoopTurns()
  }
  expect(await received(body)).toContain('200 OK')
})

async function eventLoopTurns(): Promise<void> {
  for (let count = 0; count < 10; count++) await new Promise((turn) => setImmediate(turn))
}

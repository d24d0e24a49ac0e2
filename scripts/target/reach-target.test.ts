import { once } from 'node:events'
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type Server,
} from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { expect, onTestFinished, test } from 'vitest'
import { profileSchema } from '../../contract/profile.ts'
import { mustServe, reachTarget } from './reach-target.ts'

const NOWHERE = '127.0.0.1:1'

test('a target and a WebSocket that respond in any way are reachable', async () => {
  const { address } = await serve((server) => server.on('upgrade', upgrade))
  await reach({ rest: address, feed: address })
})

test.each([429, 503])('a WebSocket that returns %i is reachable: probes judge it', async (status) => {
  const { address } = await serve((server) => server.on('upgrade', refuse(status)))
  await reach({ rest: address, feed: address })
})

test('a WebSocket behind a proxy with transient errors is reachable', async () => {
  const answers = [502, 504]
  const { address, requests } = await serve((server) =>
    server.on('upgrade', (request, socket) => {
      const status = answers.shift()
      if (status === undefined) upgrade(request, socket)
      else refuse(status)(request, socket)
    }),
  )
  await reach({ rest: address, feed: address })
  expect(requests.filter(({ url }) => url === '/ws').length).toBe(3)
})

test('an HTML page at /health alone is accepted: its content is not specified', async () => {
  const { address } = await serve((server) => {
    server.removeAllListeners('request').on('upgrade', upgrade)
    server.on('request', ({ url }, response) => {
      response.setHeader('content-type', url?.endsWith('/health') ? 'text/html' : 'application/json').end()
    })
  })
  await reach({ rest: address, feed: address })
})

test('an unreachable WebSocket is an environment error if the run needs it', async () => {
  const { address } = await serve(() => {})
  await expect(reach({ rest: address, feed: NOWHERE })).rejects.toMatchObject({
    message: `p.json: the WebSocket does not respond: ws://${NOWHERE}/ws: connect ECONNREFUSED ${NOWHERE}`,
    hint: expect.stringContaining('wsUrl is right'),
    exitCode: 3,
  })
  await reach({ rest: address, feed: NOWHERE, needsFeed: false })
})

test.each([1, 22, 6000])('a target on port %i, which browsers block, is reachable', async (port) => {
  const error = await reach({ rest: `127.0.0.1:${port}`, feed: NOWHERE }).catch((reason: unknown) => reason)
  expect(String(error)).not.toContain('bad port')
})

test('a server with another protocol is not reachable', async () => {
  const { address } = await serve((server) =>
    server.on('connection', (socket) => socket.end('SSH-2.0-x\r\n')),
  )
  await expect(reach({ rest: address, feed: NOWHERE })).rejects.toMatchObject({
    message: expect.stringMatching(/the target does not respond: GET \S+: Parse Error/),
    exitCode: 3,
  })
})

test('sends an upgrade with the headers and the origin of the profile', async () => {
  const { address, requests } = await serve((server) => server.on('upgrade', upgrade))
  await reach({ rest: address, feed: address, headers: { 'X-Team': 'blue' }, origin: 'https://app.example' })
  expect(requests.map(({ url, headers }) => [url, headers['x-team'], headers.origin])).toEqual([
    ['/api/health', 'blue', 'https://app.example'],
    ['/ws', 'blue', 'https://app.example'],
  ])
})

function reach(options: {
  rest: string
  feed: string
  needsFeed?: boolean
  headers?: Record<string, string>
  origin?: string
}): Promise<void> {
  const { rest, feed, needsFeed = true, headers = {}, origin = null } = options
  const profile = profileSchema.parse({
    name: 'test',
    baseUrl: `http://${rest}/api/`,
    wsUrl: `ws://${feed}`,
    headers,
    origin,
  })
  return reachTarget({ profile, file: 'p.json', ca: null, needsFeed })
}

async function serve(
  change: (server: Server) => void,
): Promise<{ address: string; requests: IncomingMessage[] }> {
  const requests: IncomingMessage[] = []
  const server = createServer((request, response) => {
    requests.push(request)
    response.writeHead(503).end()
  })
  server.on('upgrade', (request: IncomingMessage) => void requests.push(request))
  change(server)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { address: `127.0.0.1:${(server.address() as AddressInfo).port}`, requests } // as: it listens on TCP
}

function upgrade(_: IncomingMessage, socket: Duplex): void {
  socket
    .on('error', () => {})
    .write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n')
}

function refuse(status: number) {
  return (_: IncomingMessage, socket: Duplex): void => {
    socket.on('error', () => {}).end(`HTTP/1.1 ${status} No\r\nContent-Length: 0\r\n\r\n`)
  }
}

const HTML = '<!doctype html><title>App</title>'

test.each([
  { what: 'an exchange', status: 200, body: '{"tokens":[]}' },
  { what: 'one that requires authentication', status: 401, body: '' },
  { what: 'one that denies access', status: 403, body: HTML },
  { what: 'one that rate limits', status: 429, body: '' },
  { what: 'one with a server error', status: 503, body: HTML },
])('$what is loaded', async ({ status, body }) => {
  await expect(mustServe({ profile: await target(status, body) })).resolves.toBeUndefined()
})

test.each([
  { what: 'a server without such a path', status: 404, body: '{}', says: 'answered 404; expected 200' },
  { what: 'a redirect', status: 302, body: '', says: 'answered 302; expected 200' },
  {
    what: 'an app that serves its page for every path',
    status: 200,
    body: HTML,
    says: 'returned 200 without JSON',
  },
])('$what is not', async ({ status, body, says }) => {
  const profile = await target(status, body)
  await expect(mustServe({ profile })).rejects.toMatchObject({
    message: `GET ${profile.baseUrl}/tokens: ${says}: that is no exchange`,
    hint: expect.stringContaining('Check baseUrl of the profile'),
    exitCode: 3,
  })
})

test('leaves a target that does not respond to the load', async () => {
  const profile = profileSchema.parse({ name: 't', baseUrl: 'http://127.0.0.1:1', wsUrl: 'ws://127.0.0.1:1' })
  await expect(mustServe({ profile })).resolves.toBeUndefined()
})

test('sends the headers and the origin of the profile', async () => {
  const seen: unknown[] = []
  const profile = await target(200, '{}', (headers) => seen.push([headers['x-team'], headers.origin]))
  await mustServe({ profile: { ...profile, headers: { 'X-Team': 'blue' }, origin: 'https://app.example' } })
  expect(seen).toEqual([['blue', 'https://app.example']])
})

test.each([
  ['gzip', gzipSync],
  ['deflate', deflateSync],
  ['br', brotliCompressSync],
])('an exchange behind a proxy that compresses with %s is loaded', async (encoding, compress) => {
  const accepted: unknown[] = []
  const onRequest = (headers: IncomingHttpHeaders) => accepted.push(headers['accept-encoding'])
  const profile = await target(200, compress('{}'), onRequest, { 'Content-Encoding': encoding })
  const headers = { 'Accept-Encoding': 'zstd' } // k6 decodes it, Node does not
  await expect(mustServe({ profile: { ...profile, headers } })).resolves.toBeUndefined()
  expect(accepted).toEqual(['gzip, deflate, br'])
})

async function target(
  status: number,
  body: string | Buffer,
  onRequest: (headers: IncomingHttpHeaders) => void = () => {},
  headers: OutgoingHttpHeaders = {},
) {
  const server = createServer((request, response) => {
    onRequest(request.headers)
    response.writeHead(status, headers).end(body)
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo // as: it listens on a port
  return profileSchema.parse({ name: 't', baseUrl: `http://127.0.0.1:${port}`, wsUrl: 'ws://127.0.0.1:1' })
}

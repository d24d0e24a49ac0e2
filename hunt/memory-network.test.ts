import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import type { Duplex } from 'node:stream'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { WebSocketServer } from 'ws'
import { createMemoryNetwork } from './memory-network.ts'

const ADDRESS = 'http://127.0.0.1:1'

/** A network with one server that never listens. */
function createTestNetwork(listener: RequestListener) {
  const server = createServer(listener)
  const network = createMemoryNetwork({
    hosts: [{ address: ADDRESS, accept: (stream: Duplex) => void server.emit('connection', stream) }],
    delay: async () => {},
  })
  return { server, network }
}

test('requests and responses arrive whole', async () => {
  const { network } = createTestNetwork(async (request: IncomingMessage, response) => {
    const { method, url, headers, socket } = request
    const body = await text(request)
    response.writeHead(
      201,
      [
        ['set-cookie', 'a=1'],
        ['set-cookie', 'b=2'],
        ['x-agent', String(headers['user-agent'])],
      ].flat(),
    )
    response.end(JSON.stringify({ method, url, body, from: socket.remoteAddress }))
  })
  const response = await network.fetch(`${ADDRESS}/swaps?limit=1`, {
    method: 'POST',
    headers: { 'user-agent': 'bot' },
    body: '{"µ":1}',
  })
  expect(response.status).toBe(201)
  expect(response.headers.getSetCookie()).toEqual(['a=1', 'b=2'])
  expect(response.headers.get('x-agent')).toBe('bot')
  expect(await response.json()).toEqual({
    method: 'POST',
    url: '/swaps?limit=1',
    body: '{"µ":1}',
    from: '127.0.0.1',
  })
  expect(network.deliveries()).toBeGreaterThan(1)
})

test.each([
  {
    what: 'reset',
    listener: (request: IncomingMessage) => void request.socket.resetAndDestroy(),
    says: 'read ECONNRESET',
  },
  {
    what: 'closed',
    listener: (request: IncomingMessage) => void request.socket.end(),
    says: 'socket hang up',
  },
])('a request whose connection is $what fails', async ({ listener, says }) => {
  const { network } = createTestNetwork(listener)
  await expect(network.fetch(`${ADDRESS}/pools`)).rejects.toThrow(says)
})

test('a request without a response ends when the client aborts it', async () => {
  const abort = new AbortController()
  const { network } = createTestNetwork(() => abort.abort())
  await expect(network.fetch(`${ADDRESS}/pools`, { signal: abort.signal })).rejects.toThrow('aborted')
})

test('nothing but the given hosts is reachable', async () => {
  const { network } = createTestNetwork(() => {})
  await expect(network.fetch('http://127.0.0.1:2/')).rejects.toThrow(
    'connect ECONNREFUSED 127.0.0.1:2: only the exchange of the hunt is reachable',
  )
})

test('sockets pass messages, and end when all connections are cut', async () => {
  const { server, network } = createTestNetwork(() => {})
  const sockets = new WebSocketServer({ noServer: true })
  server.on('upgrade', (request, stream, head) =>
    sockets.handleUpgrade(request, stream, head, (socket) =>
      socket.on('message', (data) => socket.send(`got ${data}`)),
    ),
  )
  const socket = new network.WebSocket('ws://127.0.0.1:1/ws')
  const received = new Promise((resolve) => socket.once('message', (data) => resolve(String(data))))
  socket.once('open', () => socket.send('this'))
  expect(await received).toBe('got this')
  const closed = new Promise((resolve) => socket.once('close', resolve))
  network.cutAll()
  expect(await closed).toBe(1006)
})

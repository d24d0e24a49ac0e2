// Bare servers: requests that a node has accepted, while it drains and after.
import { once } from 'node:events'
import * as http from 'node:http'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { connect, constants, createServer as createServer2, type Http2Server } from 'node:http2'
import * as https from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { connectFeed } from '../gateway/test-client.ts'
import type { Stub } from '../stub.ts'
import type { StubOptions } from '../stub-options.ts'
import { control, start } from '../test-started-stub.ts'
import { overHttp2, startTls } from '../test-tls-stub.ts'
import { DRAIN_MS, restNodes, shareConnections } from './node-connections.ts'
import { connectRaw } from './test-raw-peer.ts'

const GET = 'GET / HTTP/1.1\r\nHost: nodes\r\n\r\n'

/** A server with two nodes, and its next request that waits for a response. */
async function listen<Kind extends Server | Http2Server>(server: Kind) {
  // as: HTTP/2 servers have the same requests and responses
  const nodes = shareConnections(server as Server, { nodes: 2 })
  const waiting: ServerResponse[] = []
  const wake: (() => void)[] = []
  server.on('request', (_: IncomingMessage, response: ServerResponse) => {
    waiting.push(response)
    wake.shift()?.()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const next = async () => {
    if (waiting.length === 0) await new Promise<void>((resolve) => wake.push(resolve))
    const response = waiting.shift()
    if (!response) throw new Error('a request woke it')
    return response
  }
  return { ...nodes, next, port: (server.address() as AddressInfo).port } // as: it listens on a port, not on a pipe
}

/** The `Connection` headers of the responses by first letter: k for keep-alive, c for close. */
function connectionsIn(bytes: Buffer): string {
  return [...bytes.toString().matchAll(/^Connection: (.)/gim)].map(([, letter]) => letter).join('')
}

test('the pending response of a draining node is the last, even after the restart', async () => {
  const { drain, restart, next, port } = await listen(createServer())
  const peer = await connectRaw(port)
  peer.write(GET)
  const response = await next()
  drain(1)
  restart(1)
  response.end('whole')
  const all = await peer.ended
  expect(connectionsIn(all)).toBe('c')
  expect(all.toString()).toMatch(/whole$/)
})

test('a body that began before its node drains is complete, and the connection ends after it', async () => {
  const { drain, restart, next, port } = await listen(createServer())
  const peer = await connectRaw(port)
  peer.write(GET)
  const response = await next()
  response.writeHead(200, { 'content-length': 9 })
  response.write('half')
  await peer.received('half')
  drain(1)
  restart(1)
  response.end('whole')
  const all = await peer.ended
  expect(connectionsIn(all)).toBe('k')
  expect(all.toString()).toMatch(/halfwhole$/)
})

test('each pipelined request gets its response, and the last one closes', async () => {
  const { drain, restart, next, port } = await listen(createServer())
  const peer = await connectRaw(port)
  peer.write(GET + GET)
  const due = [await next(), await next()]
  drain(1)
  peer.write(GET)
  due.push(await next())
  restart(1)
  for (const [index, response] of due.entries()) response.end(`response ${index}`)
  const all = await peer.ended
  expect(connectionsIn(all)).toBe('kkc')
  for (const index of due.keys()) expect(all.toString()).toContain(`response ${index}`)
})

test('an idle connection stays while its node drains, and ends with the restart', async () => {
  const { drain, restart, next, port } = await listen(createServer())
  const [peer, other] = [await connectRaw(port), await connectRaw(port)]
  drain(1)
  for (const { write } of [peer, other]) write(GET)
  for (const response of [await next(), await next()]) response.end()
  expect([await peer.ended, await other.received('\r\n\r\n')].map(String)).toEqual([
    expect.stringContaining('Connection: close'),
    expect.stringContaining('Connection: keep-alive'),
  ])
  drain(2)
  restart(2)
  expect(connectionsIn(await other.ended)).toBe('k')
})

test('while every node drains, connections are still accepted', async () => {
  const { drain, next, port } = await listen(createServer())
  for (const node of [1, 2]) drain(node)
  const peer = await connectRaw(port)
  peer.write(GET)
  ;(await next()).end()
  expect(await peer.received('\r\n\r\n')).toContain('Connection: keep-alive')
})

test('over HTTP/2, open streams complete after GOAWAY, and the session ends with the last', async () => {
  const { drain, restart, next, port } = await listen(createServer2())
  const session = connect(`http://127.0.0.1:${port}`)
  onTestFinished(() => session.destroy())
  const stream = session.request({ ':path': '/' })
  let body = ''
  stream.on('data', (chunk) => (body += chunk))
  const response = await next()
  drain(1)
  restart(1)
  const [code] = await once(session, 'goaway')
  expect(code).toBe(constants.NGHTTP2_NO_ERROR)
  const ended = once(session, 'close')
  response.end('whole')
  await once(stream, 'close')
  expect({ body, rst: stream.rstCode }).toEqual({ body: 'whole', rst: constants.NGHTTP2_NO_ERROR })
  await ended
})

// Real sockets: a stub whose nodes restart in turn, over HTTP/1.1, HTTP/2 and the feed. Only the control API moves
// time.
const PERIOD_MS = 10_000
const DEPLOYMENT = { rollingRestartMs: PERIOD_MS }
/** Short, since the sockets of these tests do not authenticate. */
const FEED_PERIOD_MS = 1000
const FEED = { rollingRestartMs: FEED_PERIOD_MS }

const TRANSPORTS = [
  ['plain', async (options: Partial<StubOptions>) => ({ stub: await start(options), ca: '' })],
  ['TLS', startTls],
] as const

const pass = (stub: Stub, ms: number) => control(stub, '/clock/advance', { ms })

/** Requests over one HTTP/1.1 connection, which is reopened if the stub closes it. */
function keptAlive({ stub, ca }: { stub: Stub; ca: string }) {
  const { Agent, request } = stub.profile.baseUrl.startsWith('https') ? https : http
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  onTestFinished(() => agent.destroy())
  const sockets: Socket[] = []
  return {
    async send(path: string) {
      const sent = request(`${stub.profile.baseUrl}${path}`, { agent, ...(ca !== '' && { ca }) }).end()
      sent.on('socket', (socket) => sockets.at(-1) !== socket && sockets.push(socket))
      const [response] = await once(sent, 'response')
      response.resume()
      await once(response, 'close')
      const { connection } = response.headers
      return { status: response.statusCode, connection, connections: sockets.length }
    },
    closed: () => Promise.all(sockets.filter(({ closed }) => !closed).map((socket) => once(socket, 'close'))),
  }
}

const KEPT = { status: 200, connection: 'keep-alive' }
const LAST = { status: 200, connection: 'close' }

test.each(TRANSPORTS)('over %s and HTTP/1.1, the nodes drain in turn', async (_, open) => {
  const at = await open({ deployment: DEPLOYMENT })
  const [one, two, idle] = [keptAlive(at), keptAlive(at), keptAlive(at)]
  for (const client of [one, two, idle]) await client.send('/ready')
  await pass(at.stub, PERIOD_MS - 1)
  expect(await one.send('/ready')).toEqual({ ...KEPT, connections: 1 })
  await pass(at.stub, 1)
  expect(await one.send('/ready')).toEqual({ ...LAST, connections: 1 })
  expect(await two.send('/ready')).toEqual({ ...KEPT, connections: 1 })
  // Both to the second node: the first one drains.
  const three = keptAlive(at)
  expect(await one.send('/ready')).toEqual({ ...KEPT, connections: 2 })
  expect(await three.send('/ready')).toEqual({ ...KEPT, connections: 1 })
  await pass(at.stub, DRAIN_MS)
  await idle.closed()
  expect(await idle.send('/ready')).toEqual({ ...KEPT, connections: 2 })
  for (const [client, connections] of [
    [one, 2],
    [two, 1],
    [three, 1],
  ] as const)
    expect(await client.send('/ready')).toEqual({ ...KEPT, connections })
  await pass(at.stub, PERIOD_MS - DRAIN_MS)
  expect(await one.send('/ready')).toEqual({ ...LAST, connections: 2 })
  for (const client of [two, three]) expect(await client.send('/ready')).toEqual({ ...LAST, connections: 1 })
  expect(await idle.send('/ready')).toEqual({ ...KEPT, connections: 2 })
  await pass(at.stub, PERIOD_MS)
  expect(await idle.send('/ready')).toEqual({ ...LAST, connections: 2 })
})

test('over HTTP/2, the sessions of each node get GOAWAY in turn, and new ones go to the others', async () => {
  const at = await startTls({ deployment: DEPLOYMENT })
  const [one, two] = [overHttp2(at), overHttp2(at)]
  for (const { send } of [one, two]) expect((await send('/ready')).status).toBe(200)
  const left = once(one.session, 'close')
  const [goaway] = await Promise.all([once(one.session, 'goaway'), pass(at.stub, PERIOD_MS)])
  expect(goaway[0]).toBe(0)
  await left
  const three = overHttp2(at)
  expect((await three.send('/ready')).status).toBe(200)
  await pass(at.stub, DRAIN_MS)
  for (const { send } of [two, three]) expect((await send('/ready')).status).toBe(200)
  const ends = [two, three].map(({ session }) => once(session, 'close'))
  await pass(at.stub, PERIOD_MS - DRAIN_MS)
  await Promise.all(ends)
})

test('the sockets of each gateway node are closed with 1012 in turn; the others stay, and new ones are served', async () => {
  const stub = await start({ deployment: { ...FEED, gateways: 2 } })
  const connect = () => connectFeed(`${stub.profile.wsUrl}/ws`)
  const [one, two] = [await connect(), await connect()]
  await pass(stub, FEED_PERIOD_MS)
  expect(await one.closed).toMatchObject({ code: 1012 })
  const three = await connect()
  expect(await openNodes(stub)).toEqual([2, 1])
  await pass(stub, FEED_PERIOD_MS)
  expect(await two.closed).toMatchObject({ code: 1012 })
  expect(await openNodes(stub)).toEqual([1])
  await pass(stub, FEED_PERIOD_MS)
  expect(await three.closed).toMatchObject({ code: 1012 })
  expect(await openNodes(stub)).toEqual([])
})

test.each([
  { replicas: 0, gateways: 1, nodes: 2 },
  { replicas: 1, gateways: 1, nodes: 2 },
  { replicas: 3, gateways: 2, nodes: 3 },
  { replicas: 0, gateways: 4, nodes: 4 },
])('$replicas replicas and $gateways gateways have $nodes REST nodes', ({ nodes, ...deployment }) => {
  expect(restNodes(deployment)).toBe(nodes)
})

test('a node beyond the last gateway node closes no socket', async () => {
  const stub = await start({ deployment: { ...FEED, replicas: 3 } })
  const connect = () => connectFeed(`${stub.profile.wsUrl}/ws`)
  const one = await connect()
  await pass(stub, FEED_PERIOD_MS)
  expect(await one.closed).toMatchObject({ code: 1012 })
  await connect()
  await pass(stub, 2 * FEED_PERIOD_MS)
  expect(await openNodes(stub)).toEqual([1])
  await pass(stub, FEED_PERIOD_MS)
  expect(await openNodes(stub)).toEqual([])
})

const openSockets = z.object({ sockets: z.array(z.object({ node: z.int() })) })

async function openNodes({ profile, controlToken }: Stub) {
  const headers = { authorization: `Bearer ${controlToken}` }
  const { sockets } = openSockets.parse(await (await fetch(`${profile.control}/sockets`, { headers })).json())
  return sockets.map(({ node }) => node)
}

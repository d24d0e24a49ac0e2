// Bare servers: what becomes of requests that a node has accepted, while it drains and after.
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { connect, constants, createServer as createServer2, type Http2Server } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { shareConnections } from './node-connections.ts'
import { connectRaw } from './test-raw-peer.ts'

const GET = 'GET / HTTP/1.1\r\nHost: nodes\r\n\r\n'

/** A server of two nodes, and its next request that waits for a response. */
async function listen<Kind extends Server | Http2Server>(server: Kind) {
  // as: a server of HTTP/2 gives and takes the same requests and responses
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

/** The `Connection` of each response, as its first letter: k for keep-alive, c for close. */
function connectionsIn(bytes: Buffer): string {
  return [...bytes.toString().matchAll(/^Connection: (.)/gim)].map(([, letter]) => letter).join('')
}

test('a response that is due when its node drains, and comes after the restart, is the last', async () => {
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

test('a body that began before its node drains comes whole, and the connection ends after it', async () => {
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

test('of requests sent ahead, each gets its response, and the last one closes', async () => {
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

test('a connection that is idle stays while its node drains, and ends with the restart', async () => {
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

test('with every node draining, connections are still taken', async () => {
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

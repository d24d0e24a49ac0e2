import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { WebSocketServer } from 'ws'
import type { WireEvents } from './feed-socket.ts'
import { keepFeed } from './keep-feed.ts'
import { NODE_TOOLS, openNodeWire } from './node-ports.ts'
import { testGateway } from './test-gateway.ts'
import { testTools } from './test-tools.ts'

test('a wire opens, sends, receives, pings and closes', async () => {
  const server = createServer()
  new WebSocketServer({ server }).on('connection', (peer) =>
    peer.on('message', (text) => peer.send(`${text}!`)),
  )
  const { nextEvent, wire } = await openWire(server)
  expect(await nextEvent()).toBe('opened')
  wire.send('hello')
  expect(await nextEvent()).toBe('hello!')
  wire.ping()
  expect(await nextEvent()).toBe('pong')
  wire.close()
  expect(await nextEvent()).toBe('closed')
})

test('reports the wait of a rejected handshake', async () => {
  const server = createServer()
  server.on('upgrade', (_request, socket) =>
    socket.end('HTTP/1.1 503 Service Unavailable\r\nRetry-After: 7\r\nContent-Length: 0\r\n\r\n'),
  )
  const { nextEvent } = await openWire(server)
  expect(await nextEvent()).toBe('closed 7000')
})

test('waits as long as a rejected handshake requires', async () => {
  const { tools, run } = testTools()
  const { takeTicket } = testGateway(tools)
  const openedAtMs: number[] = []
  const feed = keepFeed(
    { rooms: [], refetch() {}, failuresMax: 2 },
    {
      openWire({ closed }) {
        openedAtMs.push(tools.nowMs())
        tools.after(0, () => closed(60_000))
        return { send() {}, ping() {}, close() {} }
      },
      takeTicket,
      onConfigChanged() {},
      afterError: () => 'stop',
      reconnectMs: () => 0,
      tools,
    },
  )
  await run()
  await feed.ended
  expect(openedAtMs).toEqual([0, 60_000])
})

/** A wire to the server, and the sequence of its events. */
async function openWire(server: Server) {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo // as: it listens on a port
  const seen: string[] = []
  let wake = () => {}
  const note = (what: string) => {
    seen.push(what)
    wake()
  }
  const events: WireEvents = {
    opened: () => note('opened'),
    closed: (serverWaitMs) => note(serverWaitMs === undefined ? 'closed' : `closed ${serverWaitMs}`),
    received: note,
    pong: () => note('pong'),
  }
  const wire = openNodeWire({ url: `ws://127.0.0.1:${port}`, headers: {}, tools: NODE_TOOLS })(events)
  const nextEvent = async () => {
    while (seen.length === 0)
      await new Promise<void>((done) => {
        wake = done
      })
    return seen.shift()
  }
  return { wire, nextEvent }
}

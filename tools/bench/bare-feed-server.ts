/**
 * The limit of a socket's memory for feed.bench.ts: a server of the same library that keeps a set of its sockets and nothing else, with
 * the messages of feed-server.ts.
 */
import { createServer } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { type WebSocket, WebSocketServer } from 'ws'
import { textFrame } from '../../simulator/gateway/socket/outbox.ts'
import { measureMemory } from '../test/garbage-collector.ts'
import type { Blocks, SocketMemory } from './feed-server.ts'

export type BareFeedRequest = { do: 'memory' } | { do: 'round'; blocks: Blocks; frameBytes: number }

const BUFFERS_POLL_MS = 20

const sockets = new Map<WebSocket, Socket>()
const upgrades = new WebSocketServer({
  noServer: true,
  clientTracking: false,
  perMessageDeflate: false,
  maxPayload: 4096,
})
const server = createServer()
server.on('upgrade', (request, stream, head) => {
  upgrades.handleUpgrade(request, stream, head, (socket) => {
    sockets.set(socket, stream as Socket) // as: of a TCP server
    socket.on('message', receive)
    socket.once('close', forget)
  })
})

function receive(this: WebSocket, data: Buffer): void {
  if (JSON.parse(String(data)).action === 'synchronize') this.send('{"control":"synchronized"}')
}

function forget(this: WebSocket): void {
  sockets.delete(this)
}

async function respond(request: BareFeedRequest): Promise<object> {
  if (request.do === 'memory') return { ...measureMemory(), sockets: sockets.size } satisfies SocketMemory
  const { blocks, frameBytes } = request
  const frame = textFrame('x'.repeat(frameBytes))
  for (let block = 0; block < blocks.count; block++) {
    for (const stream of sockets.values()) stream.write(frame)
    await pause(blocks.everyMs)
  }
  while ([...sockets.values()].some(({ writableLength }) => writableLength > 0)) await pause(BUFFERS_POLL_MS)
  return {}
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, ms))
}

process.on('message', async (request: BareFeedRequest) => process.send?.(await respond(request)))
process.once('disconnect', () => process.exit())
server.listen({ host: '127.0.0.1', port: 0 }, () => {
  process.send?.({ port: (server.address() as AddressInfo).port }) // as: it listens on a port, not on a pipe
})

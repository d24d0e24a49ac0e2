/**
 * Clients of the feed for feed.bench.ts, in a process of their own: bare sockets that shake hands, authenticate,
 * subscribe, and count what comes. They cost as little as they can, so that the server has the processor.
 */
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

export type FeedClientsRequest =
  | { ask: 'open'; port: number; tickets: string[]; room: string }
  | { ask: 'received' }
  | { ask: 'close' }

/** Handshakes under way at once. */
const OPENING_MAX = 50

/** The server cuts who is silent for longer than half a minute; these do not read its pings, and tell it unasked. */
const PONG_EVERY_MS = 10_000
const PONG = Buffer.from([0x8a, 0x80, 0, 0, 0, 0])

const buffer = Buffer.alloc(256 * 1024)
let sockets: Socket[] = []
let bytes = 0

async function answer(request: FeedClientsRequest): Promise<object> {
  switch (request.ask) {
    case 'open':
      for (let first = 0; first < request.tickets.length; first += OPENING_MAX) {
        const opening = request.tickets.slice(first, first + OPENING_MAX)
        sockets.push(...(await Promise.all(opening.map((ticket) => open({ ...request, ticket })))))
      }
      return { opened: sockets.length }
    case 'received': {
      const received = bytes
      bytes = 0
      return { bytes: received }
    }
    case 'close':
      for (const socket of sockets) socket.destroy()
      sockets = []
      return { opened: 0 }
  }
}

/** Resolves once the server has said that it is subscribed. */
async function open(options: { port: number; ticket: string; room: string }): Promise<Socket> {
  const { port, ticket, room } = options
  let text = ''
  let subscribed = () => {}
  const socket = connect({
    port,
    host: '127.0.0.1',
    onread: {
      buffer,
      callback(length) {
        if (text === 'done') bytes += length
        else {
          text += buffer.toString('latin1', 0, length)
          if (text.includes('synchronized')) {
            text = 'done'
            subscribed()
          }
        }
        return true
      },
    },
  })
  await once(socket, 'connect')
  const answered = new Promise<void>((resolve, reject) => {
    subscribed = resolve
    socket.once('close', () => reject(new Error(`a socket was closed: ${text.slice(0, 200)}`)))
  })
  socket.on('error', () => {}) // shows in the close
  socket.write(
    [
      'GET /ws HTTP/1.1',
      'Host: feed',
      'Connection: Upgrade',
      'Upgrade: websocket',
      `Sec-WebSocket-Key: ${randomBytes(16).toString('base64')}`,
      'Sec-WebSocket-Version: 13',
      '\r\n',
    ].join('\r\n'),
  )
  for (const frame of [
    { action: 'authenticate', token: ticket },
    { action: 'subscribe', room },
    { action: 'synchronize' },
  ])
    socket.write(maskedFrame(JSON.stringify(frame)))
  await answered
  return socket
}

/** A text frame of a client, of at most 65,535 bytes, with a mask of zeros (RFC 6455, section 5.2). */
function maskedFrame(text: string): Buffer {
  const payload = Buffer.from(text)
  const length = payload.length < 126 ? [payload.length] : [126, payload.length >> 8, payload.length & 255]
  const [first = 0, ...rest] = length
  return Buffer.concat([Buffer.from([0x81, 0x80 | first, ...rest, 0, 0, 0, 0]), payload])
}

setInterval(() => {
  for (const socket of sockets) socket.write(PONG)
}, PONG_EVERY_MS)
process.on('message', async (request: FeedClientsRequest) => process.send?.(await answer(request)))
process.once('disconnect', () => process.exit())
process.send?.({})

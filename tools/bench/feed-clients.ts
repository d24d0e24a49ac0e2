/** Cheap feed clients for feed.bench.ts, in a separate process: bare sockets that authenticate, subscribe and count. */
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

export type FeedClientsRequest =
  | { do: 'open'; port: number; tickets: string[]; room: string }
  | { do: 'received' }
  | { do: 'close' }

const OPENING_MAX = 50

/** The server closes sockets silent for 30 s; these clients do not read pings, so they send pongs unasked. */
const PONG_EVERY_MS = 10_000
const PONG = Buffer.from([0x8a, 0x80, 0, 0, 0, 0])

const buffer = Buffer.alloc(256 * 1024)
let sockets: Socket[] = []
let bytes = 0

async function respond(request: FeedClientsRequest): Promise<object> {
  switch (request.do) {
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
  const responded = new Promise<void>((resolve, reject) => {
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
  await responded
  return socket
}

/** A client's text frame of at most 65,535 bytes, with a mask of zeros (RFC 6455, section 5.2). */
function maskedFrame(text: string): Buffer {
  const payload = Buffer.from(text)
  const length = payload.length < 126 ? [payload.length] : [126, payload.length >> 8, payload.length & 255]
  const [first = 0, ...rest] = length
  return Buffer.concat([Buffer.from([0x81, 0x80 | first, ...rest, 0, 0, 0, 0]), payload])
}

setInterval(() => {
  for (const socket of sockets) socket.write(PONG)
}, PONG_EVERY_MS)
process.on('message', async (request: FeedClientsRequest) => process.send?.(await respond(request)))
process.once('disconnect', () => process.exit())
process.send?.({})

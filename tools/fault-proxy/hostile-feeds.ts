/** Gateways that are none, each in its own way; before a good REST host. */
import { createHash } from 'node:crypto'
import type { Duplex } from 'node:stream'
import type { Upgrade } from './spoiling-proxy.ts'

type HostileFeed = (upgrade: Upgrade) => void

const RESTARTED = Buffer.from([0x88, 0x02, 1012 >> 8, 1012 & 0xff])
const BINARY = Buffer.from([0x82, 0x04, 0, 1, 2, 255])

export const HOSTILE_FEEDS = {
  'refuses every handshake': ({ client }) =>
    client.end('HTTP/1.1 401 Unauthorized\r\nContent-Type: text/html\r\nContent-Length: 4\r\n\r\n<br>'),
  'redirects the handshake': ({ client }) =>
    client.end('HTTP/1.1 302 Found\r\nLocation: ws://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n'),
  'drops the connection': ({ client }) => client.destroy(),
  'answers the handshake for another key': ({ client }) =>
    client.end(
      'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: x\r\n\r\n',
    ),
  'restarts all the time': (upgrade) => accept(upgrade).end(RESTARTED),
  'hangs up at once': (upgrade) => {
    const client = accept(upgrade)
    setImmediate(() => client.destroy())
  },
  'sends what is no frame': (upgrade) => {
    accept(upgrade).write('220 smtp.example ESMTP ready\r\n'.repeat(20))
  },
  'sends binary frames': (upgrade) => {
    const client = accept(upgrade)
    client.on('data', (chunk: Buffer) => (isClose(chunk) ? client.destroy() : client.write(BINARY)))
  },
  'says nothing': (upgrade) => {
    const client = accept(upgrade)
    client.on('data', (chunk: Buffer) => (isClose(chunk) ? client.destroy() : undefined))
  },
} satisfies Record<string, HostileFeed>

/** A socket whose close frame is never answered keeps k6 for as long as the run may last. */
function isClose(chunk: Buffer): boolean {
  return chunk[0] === 0x88
}

/** https://www.rfc-editor.org/rfc/rfc6455#section-4.2.2 */
function accept({ client, request }: Upgrade): Duplex {
  const key = `${request.headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`
  const answer = createHash('sha1').update(key).digest('base64')
  client.write(
    `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${answer}\r\n\r\n`,
  )
  return client
}

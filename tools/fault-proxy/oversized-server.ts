/** A server whose responses and messages are made to take all memory or time of whoever reads them. */
import { createHash } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { createGzip, deflateRawSync, gzipSync } from 'node:zlib'
import type { Hostility } from './hostile-server.ts'
import type { Upgrade } from './spoiling-proxy.ts'

const MIB = 2 ** 20
/** As large as the one that took k6 to 2.8 GB: 300 MB in 300 kB. */
const GZIP_BOMB = gzipSync(Buffer.alloc(300 * MIB, ' '))

export const OVERSIZED = {
  'a gzip body of 300 MiB': (_, response) =>
    void response.writeHead(200, { ...JSON_TYPE, 'content-encoding': 'gzip' }).end(GZIP_BOMB),
  'an endless body': (_, response) => writeWithoutEnd(response.writeHead(200, JSON_TYPE), response),
  'an endless gzip body': (_, response) => {
    const gzip = createGzip({ level: 1 })
    gzip.pipe(response.writeHead(200, { ...JSON_TYPE, 'content-encoding': 'gzip' }))
    writeWithoutEnd(gzip, response)
  },
  'JSON of 5 million levels': (_, response) => void response.writeHead(200, JSON_TYPE).end(nested(5_000_000)),
  'JSON of 100,000 levels': (_, response) => void response.writeHead(200, JSON_TYPE).end(nested(100_000)),
  // The most values that fit: for a parser, each is many times as large as its two characters.
  'JSON of 2 million objects': (_, response) =>
    void response.writeHead(200, JSON_TYPE).end(`[${'{},'.repeat(2_000_000)}{}]`),
  'endless headers': (_, { socket }) => {
    if (socket === null) return
    socket.write('HTTP/1.1 200 OK\r\n')
    writeWithoutEnd(socket, socket, Buffer.from(`x-header: ${'x'.repeat(1000)}\r\n`.repeat(100)))
  },
} satisfies Record<string, Hostility>

const JSON_TYPE = { 'content-type': 'application/json' }

type Gateway = (upgrade: Pick<Upgrade, 'request' | 'client'>) => void

export const OVERSIZED_MESSAGES = {
  'a message of 300 MiB': (upgrade) => {
    const socket = accept(upgrade)
    socket.write(frameHead({ bytes: 300 * MIB }))
    writeWithoutEnd(socket, socket)
  },
  'a message in fragments without end': (upgrade) => {
    const socket = accept(upgrade)
    socket.write(frame(Buffer.from('['), { last: false }))
    writeWithoutEnd(socket, socket, frame(Buffer.alloc(MIB, ' '), { opcode: 0, last: false }))
  },
  'messages without end': (upgrade) => {
    const socket = accept(upgrade)
    writeWithoutEnd(socket, socket, Buffer.concat(Array(1000).fill(frame(Buffer.from('{"type":"Noise"}')))))
  },
  'a message of 100,000 levels': (upgrade) => {
    const socket = accept(upgrade)
    socket.write(frame(Buffer.from(nested(100_000))))
  },
  'a message of a million levels': (upgrade) => {
    const socket = accept(upgrade)
    socket.write(frame(Buffer.from(nested(1_000_000).slice(0, MIB))))
  },
  'compressed messages, which nobody offered': (upgrade) => {
    const extension = 'permessage-deflate; server_no_context_takeover; client_no_context_takeover'
    const socket = accept(upgrade, `Sec-WebSocket-Extensions: ${extension}\r\n`)
    const bomb = frame(deflateRawSync(Buffer.alloc(64 * MIB, ' ')), { compressed: true })
    writeWithoutEnd(socket, socket, bomb)
  },
  'endless headers': ({ client: socket }) => {
    socket.write('HTTP/1.1 101 Switching Protocols\r\n')
    writeWithoutEnd(socket, socket, Buffer.from(`x-header: ${'x'.repeat(1000)}\r\n`.repeat(100)))
  },
} satisfies Record<string, Gateway>

function nested(levels: number): string {
  return '['.repeat(levels) + ']'.repeat(levels)
}

/** As fast as it is read, until the connection is gone. */
function writeWithoutEnd(
  out: NodeJS.WritableStream,
  connection: Duplex | ServerResponse,
  piece: Buffer = Buffer.alloc(MIB, ' '),
): void {
  const write = () => {
    while (!connection.destroyed && out.write(piece));
  }
  out.on('drain', write)
  out.on('error', () => {})
  write()
}

/** https://www.rfc-editor.org/rfc/rfc6455#section-4.2.2 */
function accept({ request, client }: Pick<Upgrade, 'request' | 'client'>, more = ''): Duplex {
  const key = `${request.headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`
  const accepted = createHash('sha1').update(key).digest('base64')
  // A close that is never answered keeps k6.
  client.on('data', (chunk: Buffer) => (chunk[0] === 0x88 ? client.destroy() : undefined))
  client.write(
    'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n' +
      `Sec-WebSocket-Accept: ${accepted}\r\n${more}\r\n`,
  )
  return client
}

type Frame = { opcode?: number; last?: boolean; compressed?: boolean }

function frame(payload: Buffer, how: Frame = {}): Buffer {
  return Buffer.concat([frameHead({ bytes: payload.length, ...how }), payload])
}

/** https://www.rfc-editor.org/rfc/rfc6455#section-5.2, always with the long form of the length. */
function frameHead({
  bytes,
  opcode = 1,
  last = true,
  compressed = false,
}: Frame & { bytes: number }): Buffer {
  const head = Buffer.alloc(10)
  head[0] = (last ? 0x80 : 0) | (compressed ? 0x40 : 0) | opcode
  head[1] = 127
  head.writeBigUInt64BE(BigInt(bytes), 2)
  return head
}

import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { createGzip, deflateRawSync, gzipSync } from 'node:zlib'
import type { Upgrade } from './fault-proxy.ts'

export type Hostility = (request: IncomingMessage, response: ServerResponse, elsewhere: string) => void

const PAGE = '<!doctype html><html><head><title>Welcome</title></head><body>It works!</body></html>'

export const HOSTILITIES = {
  'a page for everything': (_, response) => html(response, 200),
  'a 404 page': (_, response) => html(response, 404),
  'not found as JSON': (_, response) => json(response, 404, '{"error":"no such route"}'),
  'a page that requires a password': (_, response) => html(response, 401, { 'www-authenticate': 'Basic' }),
  'a redirect elsewhere': ({ url }, response, elsewhere) =>
    void response.writeHead(307, { location: `${elsewhere}${url}` }).end(),
  'a redirect to itself': ({ url }, response) => void response.writeHead(302, { location: url ?? '/' }).end(),
  teapot: (_, response) => json(response, 418, '{"error":"teapot"}'),
  nothing: (_, response) => json(response, 200, ''),
  'no content': (_, response) => void response.writeHead(204).end(),
  null: (_, response) => json(response, 200, 'null'),
  'binary data': (_, response) => void response.writeHead(200).end(Buffer.from([0xff, 0xfe, 0, 0xc3])),
  'internal error': (_, response) => json(response, 500, '{"error":"internal"}'),
  'unavailable for days': (_, response) => html(response, 503, { 'retry-after': '999999' }),
  'too many requests for everyone': (_, response) => json(response, 429, '{}', { 'retry-after': '0' }),
  reset: (_, response) => void response.destroy(),
  'half a response': (_, response) => {
    response.writeHead(200, { 'content-length': 1000, 'content-type': 'application/json' })
    response.write('{"data":[{"key":"', () => response.destroy())
  },
  'what is not HTTP': (_, response) =>
    void response.socket?.end('\x00\x01\x02 220 smtp.example ESMTP\r\n\r\n'),
  'an undefined status': (_, response) =>
    void response.socket?.end('HTTP/1.1 999 Odd\r\nContent-Length: 2\r\n\r\n{}'),
  'another protocol': (_, response) => void response.socket?.end('HTTP/1.1 101 Switching Protocols\r\n\r\n'),
  'a body that is not gzip as declared': (_, response) =>
    void response.writeHead(200, { 'content-encoding': 'gzip' }).end('this is not gzip'),
} satisfies Record<string, Hostility>

/** Uniform, empty responses: an exchange that breaks every possible rule. */
export const EMPTY_RESPONSES = {
  'an empty object': (_, response) => json(response, 200, '{}'),
  'a list': (_, response) => json(response, 200, '[[],[null],{"data":7}]'),
  'data of another kind': (_, response) =>
    json(response, 200, '{"data":7,"pagination":"x","error":[],"code":{}}'),
  'rows of another kind': (_, response) =>
    json(
      response,
      200,
      '{"data":[null,1,"a",[],{},{"key":{},"token0":[],"id":null}],"pagination":{"total":"9"}}',
    ),
  'a large body': (_, response) => json(response, 200, `{"data":["${'x'.repeat(1_000_000)}"]}`),
  'a 400 for everything': (_, response) => json(response, 400, '{"error":"no"}'),
} satisfies Record<string, Hostility>

/** Keeps connections open and silent, except for /health. */
export const SILENCE: Hostility = ({ url }, response) => {
  if (url === '/health') json(response, 200, '{"data":{}}')
}

export type HostileServer = { address: string; requests: () => number; close(): Promise<void> }

const NO_GATEWAY = ({ client }: Pick<Upgrade, 'client'>) =>
  void client.end('HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n')

/** Listens on a free loopback port; `elsewhere` is an address for redirects. */
export async function startHostileServer(
  hostility: Hostility,
  elsewhere = '',
  gateway: (upgrade: Pick<Upgrade, 'request' | 'client'>) => void = NO_GATEWAY,
): Promise<HostileServer> {
  let requested = 0
  const server = createServer((request, response) => {
    requested++
    request.resume()
    hostility(request, response, elsewhere)
  })
  const sockets = new Set<Duplex>()
  server.on('upgrade', (request, client) => {
    sockets.add(client)
    client.on('error', () => client.destroy())
    gateway({ request, client })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`, // as: it listens on a port
    requests: () => requested,
    async close() {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      for (const socket of sockets) socket.destroy()
      await closed
    },
  }
}

function html(response: ServerResponse, status: number, headers: Record<string, string> = {}): void {
  response.writeHead(status, { 'content-type': 'text/html', ...headers }).end(PAGE)
}

function json(
  response: ServerResponse,
  status: number,
  text: string,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(text)
}

const MIB = 2 ** 20
/** A body of this size took k6 to 2.8 GB: 300 MB in 300 kB. */
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
  // The most values that fit: a parser needs many times their two characters each.
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
  'compressed messages, which were not negotiated': (upgrade) => {
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
  // Without a response to its close, k6 would wait.
  client.on('data', (chunk: Buffer) => (holdsClose(chunk) ? client.destroy() : undefined))
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

const CLOSE = 8
const MASK_BYTES = 4

/**
 * True if one of these whole frames of a client is a close frame; several may arrive together. Without a response to its close
 * frame, k6 would wait as long as the run may last.
 */
export function holdsClose(frames: Buffer): boolean {
  for (let at = 0; at + 1 < frames.length; ) {
    if ((frames.readUInt8(at) & 0x0f) === CLOSE) return true
    const short = frames.readUInt8(at + 1) & 0x7f
    const lengthBytes = short === 126 ? 2 : short === 127 ? 8 : 0
    const payloadAt = at + 2 + lengthBytes + MASK_BYTES
    if (payloadAt > frames.length) return false
    const low =
      lengthBytes === 8
        ? frames.readUIntBE(at + 4, 6)
        : lengthBytes === 2
          ? frames.readUInt16BE(at + 2)
          : short
    at = payloadAt + low
  }
  return false
}

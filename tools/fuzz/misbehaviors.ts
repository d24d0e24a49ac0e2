/** Server misbehavior as data: one item per request, or per feed socket. */
import { gzipSync } from 'node:zlib'
import { type Draw, hostileText } from './draw.ts'
import type { ServerPlan } from './fuzz-case.ts'

export type Misbehavior =
  /** Responds correctly. */
  | { does: 'nothing' }
  /** The correct response, with its structure changed by a draw from this seed. */
  | { does: 'mutate'; seed: number }
  /** These bytes instead of a response. */
  | { does: 'send'; bytes: Buffer; after: Ending }
  /** The correct response up to this share of its bytes; byte by byte if `slowly`. */
  | { does: 'cut'; share: number; slowly: boolean }

/** After the bytes: a close, a reset, silence, or endless data. */
type Ending = 'end' | 'reset' | 'stay' | 'endless'

export const HEALTHY_SERVER: ServerPlan = {
  transport: 'http',
  rest: [{ does: 'nothing' }],
  feed: [{ does: 'nothing' }],
  control: [{ does: 'nothing' }],
}

/** Some responses are correct, so that a command gets past its first request. */
export function drawServer(draw: Draw): ServerPlan {
  const listed = (drawOne: (draw: Draw) => Misbehavior) =>
    Array.from(
      { length: draw.int(1, 4) },
      (): Misbehavior => (draw.chance(0.3) ? { does: 'nothing' } : drawOne(draw)),
    )
  const transport = draw.weighted<ServerPlan['transport']>([
    [8, 'http'],
    [1, 'https'],
    [1, 'h2'],
  ])
  const rest = transport === 'h2' ? drawHttp2 : drawHttp
  return { transport, rest: listed(rest), feed: listed(drawFeed), control: listed(drawHttp) }
}

function drawHttp(draw: Draw): Misbehavior {
  return draw.weighted<() => Misbehavior>([
    [6, () => ({ does: 'mutate', seed: draw.int(0, 2 ** 31 - 1) })],
    [5, () => ({ does: 'send', bytes: drawResponse(draw), after: drawEnd(draw) })],
    [1, () => ({ does: 'cut', share: draw.int(0, 100) / 100, slowly: draw.chance(0.3) })],
  ])()
}

/** An ending that makes the client wait until its timeout is rare. */
function drawEnd(draw: Draw): Ending {
  return draw.weighted<Ending>([
    [8, 'end'],
    [2, 'reset'],
    [1, 'stay'],
    [1, 'endless'],
  ])
}

function drawResponse(draw: Draw): Buffer {
  const body = draw.weighted(BODIES)(draw)
  const headers = Array.from({ length: draw.int(0, 4) }, () => draw.weighted(HEADERS)(draw, body))
  const status = draw.weighted([
    [
      6,
      `HTTP/1.1 ${draw.pick([200, 200, 200, 201, 204, 301, 302, 304, 307, 400, 401, 403, 404, 418, 429, 500, 502, 503])} OK`,
    ],
    [1, `HTTP/1.1 ${draw.pick([0, 99, 100, 101, 103, 199, 600, 999, 1000, -1])} Odd`],
    [1, `HTTP/${draw.pick(['0.9', '1.0', '2.0', '9.9', '1.1.1'])} 200 OK`],
    [1, `HTTP/1.1 200 ${hostileText(draw)}`],
    [1, hostileText(draw)],
    [1, `${'HTTP/1.1 100 Continue\r\n\r\n'.repeat(draw.int(1, 3000))}HTTP/1.1 200 OK`],
  ])
  const length = draw.chance(0.8) ? [`Content-Length: ${body.length}`] : []
  return Buffer.concat([Buffer.from(`${[status, ...headers, ...length].join('\r\n')}\r\n\r\n`), body])
}

const BOMB = gzipSync(Buffer.alloc(50_000_000))

const BODIES: readonly (readonly [weight: number, body: (draw: Draw) => Buffer])[] = [
  [2, () => Buffer.from('{"data":{}}')],
  [2, (draw) => Buffer.from(JSON.stringify({ error: hostileText(draw), code: hostileText(draw) }))],
  [1, (draw) => Buffer.from(hostileText(draw))],
  [1, () => Buffer.from('<!doctype html><title>Welcome</title>')],
  [1, () => Buffer.from(`${'['.repeat(100_000)}${']'.repeat(100_000)}`)],
  [1, () => Buffer.from('x'.repeat(3_000_000))],
  [1, () => BOMB],
  [1, () => Buffer.from('ffffffffffffffff\r\nx\r\n')],
  [1, () => Buffer.alloc(0)],
]

const HEADERS: readonly (readonly [weight: number, header: (draw: Draw, body: Buffer) => string])[] = [
  [4, () => 'Content-Type: application/json'],
  [1, () => 'Content-Type: text/html'],
  [2, (draw) => `Content-Type: ${hostileText(draw)}`],
  [2, (draw) => `Location: ${hostileText(draw)}`],
  [1, () => 'Location: /health'],
  [2, () => 'Content-Encoding: gzip'],
  [1, (draw) => `Content-Encoding: ${draw.pick(['br', 'deflate', 'zstd', 'gzip, gzip, gzip', 'none'])}`],
  [1, () => 'Transfer-Encoding: chunked'],
  [1, (draw) => `Content-Length: ${draw.pick(['-1', '1e3', '99999999999999999999', '0', ' 5 5'])}`],
  [2, (draw) => `Date: ${draw.pick(['Thu, 01 Jan 1970 00:00:00 GMT', '+275760-09-13', 'never'])}`],
  [1, (draw) => `Retry-After: ${draw.pick(['-1', '1e9', '0', 'Fri, 31 Dec 9999 23:59:59 GMT', 'soon'])}`],
  [1, (draw) => `Set-Cookie: ${hostileText(draw)}`],
  [1, (draw) => `X-${'a'.repeat(draw.int(1, 70_000))}: 1`],
  [1, (draw) => Array.from({ length: draw.int(1, 3000) }, (_, index) => `X-${index}: 1`).join('\r\n')],
  [1, (draw) => `${hostileText(draw)}: ${hostileText(draw)}`],
]

const ACCEPTED = '{ACCEPTED}'
/** Placeholder in feed bytes for the handshake's response, which depends on the client's key. */
export const HANDSHAKE = Buffer.from(ACCEPTED)

function drawFeed(draw: Draw): Misbehavior {
  return draw.weighted<() => Misbehavior>([
    [
      5,
      () => ({
        does: 'send',
        bytes: Buffer.concat([HANDSHAKE, ...Array.from({ length: draw.int(1, 6) }, () => drawFrame(draw))]),
        after: drawEnd(draw),
      }),
    ],
    [2, () => ({ does: 'send', bytes: drawResponse(draw), after: drawEnd(draw) })],
  ])()
}

/** https://www.rfc-editor.org/rfc/rfc6455#section-5.2 */
function drawFrame(draw: Draw): Buffer {
  const payload = draw.weighted(FRAME_BODIES)(draw)
  const first = draw.weighted([
    [6, 0x81],
    [1, draw.pick([0x01, 0x80, 0x82, 0x88, 0x89, 0x8a, 0x8b, 0xc1, 0xf1])],
  ])
  const length = draw.chance(0.1)
    ? draw.pick([0n, 1n, 2n ** 63n - 1n, 2n ** 64n - 1n])
    : BigInt(payload.length)
  const head = Buffer.alloc(10)
  head.writeUInt8(first, 0)
  head.writeUInt8(127 | (draw.chance(0.05) ? 0x80 : 0), 1)
  head.writeBigUInt64BE(length, 2)
  return Buffer.concat([head, payload])
}

const FRAME_BODIES: readonly (readonly [weight: number, body: (draw: Draw) => Buffer])[] = [
  [
    3,
    (draw) =>
      Buffer.from(JSON.stringify({ type: hostileText(draw), room: hostileText(draw), data: { id: 1 } })),
  ],
  [
    1,
    (draw) =>
      Buffer.from(JSON.stringify({ type: draw.pick(['resync', 'error', 'missed_events']), data: null })),
  ],
  [1, (draw) => Buffer.from(hostileText(draw))],
  [1, () => Buffer.from(`${'['.repeat(100_000)}`)],
  [1, () => Buffer.from([0xff, 0xfe, 0xc3, 0x28])],
  [1, () => Buffer.from([0x03, 0xe7])],
]

/** HTTP/2 frames for any request: https://www.rfc-editor.org/rfc/rfc9113#section-6 */
function drawHttp2(draw: Draw): Misbehavior {
  const frames = Array.from({ length: draw.int(1, 5) }, () => draw.weighted(HTTP2_FRAMES)(draw))
  return {
    does: 'send',
    bytes: Buffer.concat([http2Frame(4, 0, 0, Buffer.alloc(0)), ...frames]),
    after: drawEnd(draw),
  }
}

const HTTP2_FRAMES: readonly (readonly [weight: number, frame: (draw: Draw) => Buffer])[] = [
  // `:status 200` of the static table, with and without END_STREAM.
  [4, (draw) => http2Frame(1, draw.pick([4, 5]), 1, Buffer.from([0x88]))],
  [3, (draw) => http2Frame(0, draw.pick([0, 1]), 1, draw.weighted(BODIES)(draw).subarray(0, 16_384))],
  [
    1,
    (draw) => http2Frame(1, 0, draw.pick([0, 1, 2, 3]), Buffer.from(hostileText(draw)).subarray(0, 16_384)),
  ],
  [
    1,
    (draw) =>
      Buffer.concat(
        Array.from({ length: draw.int(1, 2000) }, () => http2Frame(9, 0, 1, Buffer.alloc(64, 0x88))),
      ),
  ],
  [
    1,
    (draw) =>
      Buffer.concat(Array.from({ length: draw.int(1, 2000) }, () => http2Frame(6, 0, 0, Buffer.alloc(8)))),
  ],
  [1, (draw) => http2Frame(3, 0, 1, uint32(draw.int(0, 20)))],
  [
    1,
    (draw) =>
      http2Frame(
        7,
        0,
        0,
        Buffer.concat([uint32(0), uint32(draw.int(0, 20)), Buffer.from(hostileText(draw)).subarray(0, 1000)]),
      ),
  ],
  [1, (draw) => http2Frame(8, 0, draw.pick([0, 1]), uint32(draw.pick([0, 2 ** 31 - 1])))],
  [
    1,
    (draw) => http2Frame(draw.int(0, 255), draw.int(0, 255), draw.int(0, 5), Buffer.alloc(draw.int(0, 100))),
  ],
]

function http2Frame(type: number, flags: number, stream: number, payload: Buffer): Buffer {
  const head = Buffer.alloc(9)
  head.writeUIntBE(payload.length, 0, 3)
  head.writeUInt8(type, 3)
  head.writeUInt8(flags, 4)
  head.writeUInt32BE(stream, 5)
  return Buffer.concat([head, payload])
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}

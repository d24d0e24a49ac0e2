/** Responses and frames that no exchange would send: probes must report them, and never crash. */
import type { RandomStream } from '../../simulator/random.ts'
import type { Exchange, ProxyResponse, Upgrade } from './fault-proxy.ts'

/** Random replacements of JSON values: other types, other shapes, nothing at all. */
const STRANGE: readonly unknown[] = [
  null,
  true,
  0,
  -1,
  1e300,
  0.1,
  '',
  'null',
  '\u0000\ud83d\ude00\u202e',
  '<script>alert(1)</script>',
  '99999999999999999999999999999999999999',
  '-0.0e',
  [],
  [[]],
  [null],
  [1, 'a', {}],
  {},
  { data: {} },
  { data: [null, 1, 'a', [], {}] },
  { length: -1, constructor: null, toString: 1 },
]

function mangle(value: unknown, random: RandomStream, share: number): unknown {
  if (random.float() < share) return strange(value, random)
  if (Array.isArray(value)) return value.map((one) => mangle(one, random, share))
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(([name, one]) => [name, mangle(one, random, share)])
  return Object.fromEntries(entries)
}

function strange(value: unknown, random: RandomStream): unknown {
  const kind = random.int(0, 4)
  if (kind === 0 && typeof value === 'string') return Number(value)
  if (kind === 0 && typeof value === 'number') return String(value)
  if (kind === 1) return [value]
  if (kind === 2) return { '': value }
  return random.pick(STRANGE)
}

function garble(body: Buffer, random: RandomStream): Buffer {
  const kind = random.int(0, 4)
  if (kind === 0) return body.subarray(0, random.int(0, body.length))
  if (kind === 1) return Buffer.alloc(0)
  if (kind === 2) return Buffer.from(random.bytes(random.int(1, 300)))
  if (kind === 3) return Buffer.concat([body, body])
  return Buffer.from([0xef, 0xbb, 0xbf, 0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0xc3, 0x28, 0x7d])
}

const STATUSES = [200, 200, 200, 201, 204, 206, 299, 400, 401, 403, 404, 409, 418, 422, 451, 499]
const HEADERS: readonly Record<string, string>[] = [
  { 'retry-after': '-1' },
  { 'retry-after': '1e9' },
  { 'retry-after': 'soon' },
  { date: 'yesterday' },
  { 'set-cookie': '=;;=; HttpOnly' },
  { 'set-cookie': 'access=; Max-Age=-1' },
  { 'content-type': 'image/png' },
  { 'content-type': '' },
  { location: 'http://[::' },
]

export function strangeResponses({
  random,
  share,
}: {
  random: RandomStream
  share: number
}): (exchange: Exchange) => Promise<void> {
  return async ({ forward, reply }) => {
    const response = await forward()
    reply(random.float() < share ? makeStrange(response, random) : response)
  }
}

function makeStrange(response: ProxyResponse, random: RandomStream): ProxyResponse {
  const kind = random.int(0, 9)
  if (kind === 0) return { ...response, body: garble(response.body, random) }
  if (kind === 1) return { ...response, status: random.pick(STATUSES) }
  if (kind === 2) return { ...response, headers: { ...response.headers, ...random.pick(HEADERS) } }
  const body = parse(response.body)
  if (body === undefined) return response
  return {
    ...response,
    body: Buffer.from(JSON.stringify(mangle(body, random, random.pick([0.02, 0.1, 0.4])))),
  }
}

function parse(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString())
  } catch {
    return undefined
  }
}

const FRAMES: readonly Buffer[] = [
  text(''),
  text('null'),
  text('[]'),
  text('"synchronized"'),
  text('{"control":null}'),
  text('{"control":["synchronized"]}'),
  text('{"type":7,"data":"x"}'),
  text('{"type":"PoolStats","data":null}'),
  text('{"type":"ProtocolConfigChanged","data":{"revision":"-1"}}'),
  text('{"type":"ProtocolConfigChanged","data":[]}'),
  text('{"type":"BalanceChange"}'),
  text('not JSON at all'),
  text('\u0000'),
  text(`"${'x'.repeat(60_000)}"`),
  frame(0x2, Buffer.from([0, 1, 2, 255])), // binary
  frame(0x9, Buffer.from('are you there')), // ping
  frame(0xa, Buffer.from('unsolicited')), // pong
]
const LAST_FRAMES: readonly Buffer[] = [
  Buffer.from([0x81, 0x02, 0xff, 0xfe]), // text that is not UTF-8
  Buffer.from([0xf1, 0x00]), // reserved bits
  Buffer.from([0x83, 0x00]), // an undefined opcode
  Buffer.from([0x88, 0x01, 0x03]), // a close with half a code
  Buffer.from([0x88, 0x02, 0xff, 0xff]), // an undefined code
  Buffer.from([0x88, 0x00]), // a close without a code
  Buffer.from([0x88, 0x02, 1012 >> 8, 1012 & 0xff]),
  Buffer.from('HTTP/1.1 400 Bad Request\r\n\r\n'),
]

/** Inserts strange frames between those of the feed; some close the socket. */
export function strangeFrames({
  random,
  share,
}: {
  random: RandomStream
  share: number
}): (upgrade: Upgrade) => void {
  return ({ client, join }) => {
    const behind = join()
    if (random.float() >= share) return
    let left = random.int(1, 6)
    // The handshake's response comes first; after it, nearly every chunk ends with a frame.
    const send = () => {
      if (client.destroyed || !client.writable) return
      if (left-- > 0) client.write(random.pick(FRAMES))
      else if (random.float() < 0.5) client.end(random.pick(LAST_FRAMES))
    }
    behind.once('data', () => behind.on('data', () => setImmediate(send)))
  }
}

function text(content: string): Buffer {
  return frame(0x1, Buffer.from(content))
}

/** https://www.rfc-editor.org/rfc/rfc6455#section-5.2, a server's whole, unmasked message. */
function frame(opcode: number, payload: Buffer): Buffer {
  const head =
    payload.length < 126
      ? Buffer.from([0x80 | opcode, payload.length])
      : Buffer.from([0x80 | opcode, 126, payload.length >> 8, payload.length & 0xff])
  return Buffer.concat([head, payload])
}

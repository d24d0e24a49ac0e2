// On real sockets: for any input of one peer, it gets a clear rejection, and the others are still served.
import { once } from 'node:events'
import { expect, onTestFinished, test } from 'vitest'
import { errorBodySchema } from '../../contract/schemas/wire.ts'
import { HTTP_BOUNDS, type HttpBounds } from '../http/listener.ts'
import { connectRaw, lastResponse } from '../http/test-raw-peer.ts'
import { createTestBed } from './test-bed.ts'

/** In real time: short enough to cut slow senders quickly, long enough for working requests. */
const HASTY: HttpBounds = { headersMs: 1000, requestMs: 1000, lookMs: 20, connectionsMax: 20 }

async function listen(http = HTTP_BOUNDS) {
  const { app, views, logLines } = await createTestBed({ http })
  onTestFinished(async () => {
    const closed = app.close()
    app.server.closeAllConnections()
    await closed
  })
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  const [pool] = views.pools({ limit: 1, offset: 0 }).rows
  return {
    port: Number(new URL(url).port),
    logLines,
    async check() {
      const response = await fetch(`${url}/pools/${encodeURIComponent(pool?.key ?? '')}`)
      expect(response.status).toBe(200)
      expect(await response.json()).toMatchObject({ data: { key: pool?.key } })
    },
  }
}

type Listening = Awaited<ReturnType<typeof listen>>

async function respondTo(
  bed: Listening,
  ...parts: (string | Buffer)[]
): Promise<[number, string | undefined]> {
  const peer = await connectRaw(bed.port)
  for (const part of parts) peer.write(part)
  const { status, body } = await lastResponse(peer)
  return [status, errorBodySchema.strict().parse(JSON.parse(body)).code ?? undefined]
}

const get = (path: string, ...headers: string[]) =>
  [`GET ${path} HTTP/1.1`, 'Host: rest', 'Connection: close', ...headers, '\r\n'].join('\r\n')

const post = (body: string | Buffer, type = 'application/json') =>
  Buffer.concat([
    Buffer.from(
      [
        'POST /auth/challenge HTTP/1.1',
        'Host: rest',
        'Connection: close',
        `Content-Type: ${type}`,
        `Content-Length: ${Buffer.byteLength(body)}`,
        '\r\n',
      ].join('\r\n'),
    ),
    Buffer.from(body),
  ])

const LONG = 5_000_000
const DEEP = 30_000

test.each<[string, Buffer, number, string]>([
  ['a body of 5 MB', post('x'.repeat(LONG)), 413, 'body_too_large'],
  ['a deep array', post(`${'['.repeat(DEEP)}${']'.repeat(DEEP)}`), 400, 'invalid_request'],
  ['a deep object', post(`${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`), 400, 'invalid_request'],
  [
    'a deep array instead of a text',
    post(`{"address":${'['.repeat(DEEP)}${']'.repeat(DEEP)}}`),
    400,
    'invalid_request',
  ],
  ['brackets that never close', post('['.repeat(60_000)), 400, 'invalid_request'],
  ['a number of 60,000 digits', post(`{"address":${'9'.repeat(60_000)}}`), 400, 'invalid_request'],
  [
    'bytes that are not UTF-8',
    post(Buffer.from([...Buffer.from('{"address":"'), 0xc3, 0x28, ...Buffer.from('"}')])),
    400,
    'invalid_request',
  ],
  ['UTF-16', post(Buffer.from('{"address":"a"}', 'utf16le')), 400, 'invalid_request'],
  ['a surrogate in UTF-8', post(Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22])), 400, 'invalid_request'],
  ['a form', post('address=a', 'application/x-www-form-urlencoded'), 415, 'media_type_unsupported'],
  ['a multipart form', post('--x--', 'multipart/form-data; boundary=x'), 415, 'media_type_unsupported'],
  ['XML', post('<address/>', 'application/xml'), 415, 'media_type_unsupported'],
  ['plain text', post('{"address":"a"}', 'text/plain'), 415, 'media_type_unsupported'],
  [
    'text that only starts like JSON',
    post('{"address":"a"}', 'application/jsonp'),
    415,
    'media_type_unsupported',
  ],
  [
    'two types at once',
    post('{"address":"a"}', 'text/html, application/json'),
    415,
    'media_type_unsupported',
  ],
  ['no type at all', post('{"address":"a"}', ''), 415, 'media_type_unsupported'],
])('refuses %s', async (_name, bytes, status, code) => {
  const bed = await listen()
  expect(await respondTo(bed, bytes)).toEqual([status, code])
  await bed.check()
})

test('drains the body after it has rejected 5 MB, so that the client sees the response', async () => {
  const bed = await listen()
  const peer = await connectRaw(bed.port)
  peer.write(post('x'.repeat(LONG)).toString().replace('Connection: close', 'Connection: keep-alive'))
  peer.write(get('/health'))
  const responses = String(await peer.ended).match(/HTTP\/1\.1 \d+/g)
  expect(responses).toEqual(['HTTP/1.1 413', 'HTTP/1.1 200'])
})

test('rejects a body of 5 MB without a length', async () => {
  const bed = await listen()
  const chunk = `${(64_000).toString(16)}\r\n${'x'.repeat(64_000)}\r\n`
  const head = post('').toString().replace('Content-Length: 0', 'Transfer-Encoding: chunked')
  expect(await respondTo(bed, head, chunk.repeat(80), '0\r\n\r\n')).toEqual([413, 'body_too_large'])
  await bed.check()
})

test.each<[string, string, number, string]>([
  ['dots', '/pools/../../etc/passwd', 404, 'not_found'],
  ['encoded dots', '/pools/..%2f..%2f..%2fetc%2fpasswd', 404, 'pool_not_found'],
  ['dots encoded as well', '/pools/%2e%2e%2f%2e%2e%2fetc%2fpasswd', 404, 'pool_not_found'],
  ['dots encoded twice', '/pools/%252e%252e%252fetc%252fpasswd', 404, 'pool_not_found'],
  ['backslashes', '/pools/..%5c..%5cwindows%5cwin.ini', 404, 'pool_not_found'],
  ['an overlong slash', '/pools/..%c0%af..%c0%afetc', 400, 'invalid_request'],
  ['a byte of zero', '/pools/key%00.json', 404, 'pool_not_found'],
  ['a broken escape', '/pools/%zz', 400, 'invalid_request'],
  ['a name that objects inherit', '/pools/__proto__', 404, 'pool_not_found'],
  ['a key beyond bounds', `/pools/${'k'.repeat(600)}`, 400, 'invalid_request'],
  ['no key', '/pools/', 404, 'pool_not_found'],
])('finds nothing at a key with %s', async (_name, path, status, code) => {
  const bed = await listen()
  expect(await respondTo(bed, get(path))).toEqual([status, code])
  await bed.check()
})

const FLOOD = Array.from({ length: 400 }, (_, number) => `x-${number}: ${'y'.repeat(50)}`)

test.each<[string, string, number]>([
  ['a flood of headers', get('/pools', ...FLOOD), 431],
  ['a flood of headers that never ends', get('/pools', ...FLOOD, ...FLOOD, ...FLOOD).slice(0, -2), 431],
  ['a cookie of a megabyte', get('/pools', `Cookie: access=${'c'.repeat(1_000_000)}`), 431],
  ['a path of a megabyte', get(`/${'p'.repeat(1_000_000)}`), 431],
  ['bytes that are not HTTP', 'hello\r\n\r\n', 400],
  ['two lengths of one body', 'POST / HTTP/1.1\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n', 400],
  [
    'a length with chunks',
    'POST / HTTP/1.1\r\nHost: rest\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n',
    400,
  ],
])('refuses %s', async (_name, bytes, status) => {
  const bed = await listen()
  expect(await respondTo(bed, bytes)).toEqual([status, 'invalid_request'])
  await bed.check()
})

const UNFINISHED: Record<string, string | Buffer> = {
  nothing: '',
  'half of a request line': 'GET /poo',
  'headers that do not end': get('/pools').slice(0, -2),
  'half of a body': post('{"address":"a"}').subarray(0, -5),
  'half of a chunk': post('').toString().replace('Content-Length: 0', 'Transfer-Encoding: chunked'),
}

test('cuts connections that do not finish their request, with 408', async () => {
  const bed = await listen(HASTY)
  const answering = Object.values(UNFINISHED).map((bytes) => respondTo(bed, bytes))
  await bed.check()
  const responses = await Promise.all(answering)
  const byName = Object.fromEntries(Object.keys(UNFINISHED).map((name, place) => [name, responses[place]]))
  for (const name in UNFINISHED) expect(byName).toHaveProperty([name], [408, 'invalid_request'])
  await bed.check()
})

test('ignores everything after it has given up on a request', async () => {
  const bed = await listen(HASTY)
  const request = post('{"address":"a"}')
  const peer = await connectRaw(bed.port)
  peer.write(request.subarray(0, 40))
  expect((await lastResponse(peer)).status).toBe(408)
  const closed = once(peer.socket, 'close')
  peer.socket.end(request.subarray(40))
  await closed
  await bed.check()
  expect(bed.logLines.filter((line) => line.includes('challenge'))).toEqual([])
})

test('holds at most the maximum number of connections, and has room again once they are cut', async () => {
  const bed = await listen(HASTY)
  const held = await Promise.all(Array.from({ length: 20 }, () => connectRaw(bed.port)))
  const refused = await connectRaw(bed.port)
  expect(await refused.ended).toHaveLength(0)
  for (const peer of held) {
    expect((await lastResponse(peer)).status).toBe(408)
    peer.socket.destroy()
  }
  await bed.check()
})

import { randomBytes } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { connectRaw, lastResponse } from '../../../simulator/http/test-raw-peer.ts'
import { APPEND_MAX_BYTES, byteBudget } from './create-collector.ts'
import { startCollector, TEST_TOKEN } from './test-collector.ts'

const text = (dir: string, name: string) => readFileSync(join(dir, name), 'utf8')
const parsePort = (url: string) => Number(new URL(url).port)

test('accepts an append at the end of a file; any other changes nothing and returns the size', async () => {
  const { append, dir } = await startCollector()
  expect(await append('a.ndjson', 0, 'one\n')).toEqual({ status: 200, size: 4 })
  expect(await append('a.ndjson', 4, 'two\n')).toEqual({ status: 200, size: 8 })
  expect(await append('a.ndjson', 4, 'two\n')).toEqual({ status: 409, size: 8 })
  expect(await append('a.ndjson', 9, 'four\n')).toEqual({ status: 409, size: 8 })
  expect(await append('a.ndjson', 8, '')).toEqual({ status: 200, size: 8 })
  expect(text(dir, 'a.ndjson')).toBe('one\ntwo\n')
})

test('lists and returns what was appended, from any offset', async () => {
  const { append, send } = await startCollector()
  await append('b.ndjson', 0, '{"é":1}\n')
  await append('a.csv', 0, 'x\n')
  expect(await (await send('/files')).json()).toEqual([
    { name: 'a.csv', size: 2 },
    { name: 'b.ndjson', size: 9 },
  ])
  expect(await (await send('/files/b.ndjson')).text()).toBe('{"é":1}\n')
  expect(await (await send('/files/b.ndjson?from=8')).text()).toBe('\n')
  const end = await send('/files/b.ndjson?from=9')
  expect([end.status, await end.text(), end.headers.get('x-breakwater-size')]).toEqual([200, '', '9'])
})

/** Fate of a runner's post: success, never delivered, or response lost. */
const fate = fc.constantFrom('well' as const, 'lost' as const, 'unanswered' as const)

test('any split of a stream into posts, some lost and some repeated, gives the same file', async () => {
  const { append, dir } = await startCollector()
  let number = 0
  await fc.assert(
    fc.asyncProperty(
      fc.uint8Array({ maxLength: 3000 }),
      fc.array(fc.record({ length: fc.integer({ min: 0, max: 700 }), fate, back: fc.nat(300) }), {
        maxLength: 20,
      }),
      async (stream, posts) => {
        const name = `series-${number++}.ndjson`
        let known = 0
        for (const { length, fate, back } of [...posts, { length: 3000, fate: 'well', back: 300 } as const]) {
          if (fate === 'lost') continue
          // A runner may send again what the collector already has.
          const offset = Math.max(0, known - back)
          for (let from = offset; ; ) {
            const { status, size } = await append(name, from, stream.subarray(from, from + length))
            if (fate === 'well') known = size
            if (status === 200 || fate === 'unanswered') break
            from = size
          }
        }
        expect(Buffer.compare(readFileSync(join(dir, name)), stream)).toBe(0)
      },
    ),
    { numRuns: 60, seed: 7 },
  )
})

test('of concurrent identical appends, one succeeds', async () => {
  const { append, dir } = await startCollector()
  const bytes = randomBytes(300_000)
  const responses = await Promise.all(Array.from({ length: 8 }, () => append('a', 0, bytes)))
  expect(responses.map(({ status }) => status).sort()).toEqual([200, ...Array(7).fill(409)])
  expect(new Set(responses.map(({ size }) => size))).toEqual(new Set([300_000]))
  expect(Buffer.compare(readFileSync(join(dir, 'a')), bytes)).toBe(0)
})

test('concurrent appends of many runners keep their order per runner', async () => {
  const { append, dir } = await startCollector()
  const streams = Array.from({ length: 20 }, () => randomBytes(5000))
  await Promise.all(
    streams.map(async (stream, index) => {
      for (let offset = 0; offset < 5000; offset += 500)
        await append(`series-${index}`, offset, stream.subarray(offset, offset + 500))
    }),
  )
  for (const [index, stream] of streams.entries())
    expect(Buffer.compare(readFileSync(join(dir, `series-${index}`)), stream)).toBe(0)
})

test('an aborted append leaves nothing', async () => {
  const { url, append, dir } = await startCollector()
  await append('a', 0, 'one\n')
  const peer = await connectRaw(parsePort(url))
  peer.write(
    `POST /files/a?offset=4 HTTP/1.1\r\nHost: x\r\nX-Breakwater-Token: ${TEST_TOKEN}\r\nExpect: 100-continue\r\nContent-Length: 10\r\n\r\n`,
  )
  await peer.received('100 Continue')
  peer.write('two\nthr')
  peer.socket.destroy()
  expect(await append('a', 4, 'three\n')).toEqual({ status: 200, size: 10 })
  expect(text(dir, 'a')).toBe('one\nthree\n')
})

test('restarted over the same folder, it continues', async () => {
  const first = await startCollector()
  await first.append('a', 0, 'one\n')
  await first.close()
  const second = await startCollector({ dir: first.dir, port: parsePort(first.url) })
  expect(await second.append('a', 0, 'one\ntwo\n')).toEqual({ status: 409, size: 4 })
  expect(await second.append('a', 4, 'two\n')).toEqual({ status: 200, size: 8 })
})

test.each([
  ['POST', '/files/a?offset=0'],
  ['GET', '/files/a'],
  ['GET', '/files'],
  ['GET', '/anything'],
])('%s %s is rejected without the token', async (method, path) => {
  const { send, dir } = await startCollector()
  writeFileSync(join(dir, 'a'), '')
  for (const token of ['', 'token-of-the-tesT', `${TEST_TOKEN}x`]) {
    const body = method === 'POST' ? { body: 'x\n' } : {}
    const response = await send(path, { method, headers: { 'X-Breakwater-Token': token }, ...body })
    expect([response.status, await response.text()]).toEqual([
      401,
      '{"error":"x-breakwater-token: wrong token"}\n',
    ])
  }
  expect(text(dir, 'a')).toBe('')
})

test('liveness needs no token', async () => {
  const { url } = await startCollector()
  expect(await (await fetch(`${url}/health`)).json()).toEqual({ status: 'ok' })
})

test.each([
  '.hidden',
  '..',
  '../outside',
  '..%2Foutside',
  'a%2Fb',
  '%00',
  '%',
  'a b',
  '',
  'é',
  'x'.repeat(201),
])('%j is not a file name', async (name) => {
  const { url, dir } = await startCollector()
  const send = async (head: string, body = '') => {
    const peer = await connectRaw(parsePort(url))
    const about = `Host: x\r\nX-Breakwater-Token: ${TEST_TOKEN}\r\nConnection: close\r\n`
    peer.write(`${head} HTTP/1.1\r\n${about}Content-Length: ${body.length}\r\n\r\n${body}`)
    return (await lastResponse(peer)).status
  }
  const shown = Buffer.from(name.replaceAll(' ', '%20')).toString('latin1')
  // A path with another slash does not exist.
  const expected = name.includes('/') ? 404 : 400
  expect(await send(`POST /files/${shown}?offset=0`, 'x\n')).toBe(expected)
  expect(await send(`GET /files/${shown}`)).toBe(expected)
  expect(readdirSync(dir)).toEqual([])
  expect(readdirSync(join(dir, '..'))).not.toContain('outside')
})

test.each([
  ['GET', '/files/a?from=-1', 400, { error: 'from: expected a number of bytes' }],
  ['GET', '/files/a?from=1e3', 400, { error: 'from: expected a number of bytes' }],
  ['POST', '/files/a', 400, { error: 'offset: expected a number of bytes' }],
  ['POST', '/files/a?offset=', 400, { error: 'offset: expected a number of bytes' }],
  ['GET', '/files/a?from=5', 416, { error: 'the offset is past the end of the file', size: 4 }],
  ['GET', '/files/other', 404, { error: 'no such file' }],
  ['GET', '/elsewhere', 404, { error: 'no such path' }],
  ['DELETE', '/files/a', 405, { error: 'DELETE is not allowed for this path' }],
])('%s %s returns %i', async (method, path, status, body) => {
  const { send, append, dir } = await startCollector()
  await append('a', 0, 'one\n')
  const response = await send(path, { method })
  expect([response.status, await response.json()]).toEqual([status, body])
  expect(text(dir, 'a')).toBe('one\n')
})

test('accepts an append of the maximum size and rejects one byte more, announced or not', async () => {
  const { send, append, dir } = await startCollector()
  const bytes = Buffer.alloc(APPEND_MAX_BYTES + 1, 'x')
  const refused = await send('/files/a?offset=0', { method: 'POST', body: bytes })
  expect([refused.status, await refused.json()]).toEqual([
    413,
    { error: 'the body is larger than 8388608 bytes' },
  ])
  const streamed = { body: new Blob([bytes]).stream(), duplex: 'half' } as RequestInit // as: fetch's types lack duplex
  expect((await send('/files/a?offset=0', { method: 'POST', ...streamed })).status).toBe(413)
  expect(readdirSync(dir)).toEqual([])
  expect(await append('a', 0, bytes.subarray(1))).toEqual({ status: 200, size: APPEND_MAX_BYTES })
})

test('compresses responses for clients that accept it, with the same bytes', async () => {
  const { append, send } = await startCollector()
  const lines = '{"metric":"http_reqs","count":1}\n'.repeat(3000)
  await append('a', 0, lines)
  const packed = await send('/files/a?from=33', { headers: { 'Accept-Encoding': 'gzip' } })
  expect(packed.headers.get('content-encoding')).toBe('gzip')
  expect(await packed.text()).toBe(lines.slice(33))
  const plain = await send('/files/a?from=33', { headers: { 'Accept-Encoding': 'identity' } })
  expect(plain.headers.get('content-encoding')).toBeNull()
  expect(await plain.text()).toBe(lines.slice(33))
})

test('serves only plain files of its folder', async () => {
  const { send, append, dir } = await startCollector()
  mkdirSync(join(dir, 'folder'))
  writeFileSync(join(dir, '.hidden'), 'x')
  writeFileSync(join(dir, 'folder', 'inner'), 'secret')
  symlinkSync(join(dir, 'folder', 'inner'), join(dir, 'link'))
  expect(await (await send('/files')).json()).toEqual([])
  expect((await send('/files/link')).status).toBe(404)
  expect((await send('/files/folder')).status).toBe(404)
  expect((await send('/files/link?offset=6', { method: 'POST', body: 'x\n' })).status).toBe(500)
  expect(text(dir, 'folder/inner')).toBe('secret')
  expect(await append('plain', 0, 'x\n')).toEqual({ status: 200, size: 2 })
})

test('requests beyond the budget wait in order', async () => {
  const budget = byteBudget(10)
  const order: string[] = []
  const take = async (name: string, bytes: number) => {
    const giveBack = await budget.take(bytes)
    order.push(name)
    return giveBack
  }
  const first = await take('first', 6)
  const second = take('second', 5)
  const third = take('third', 1) // would fit, but waits behind the second
  await Promise.resolve()
  expect(order).toEqual(['first'])
  first()
  ;(await second)()
  ;(await third)()
  expect(order).toEqual(['first', 'second', 'third'])
})

test('more than the whole budget waits for all of it', async () => {
  const budget = byteBudget(10)
  const giveBack = await budget.take(1)
  const all = budget.take(1000)
  giveBack()
  ;(await all)()
  ;(await budget.take(10))()
})

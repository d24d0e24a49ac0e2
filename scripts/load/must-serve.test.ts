import { createServer, type IncomingHttpHeaders, type OutgoingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { expect, onTestFinished, test } from 'vitest'
import { profileSchema } from '../../contract/profile.ts'
import { mustServe } from './must-serve.ts'

const HTML = '<!doctype html><title>App</title>'

test.each([
  { what: 'an exchange', status: 200, body: '{"tokens":[]}' },
  { what: 'one that wants to know who asks', status: 401, body: '' },
  { what: 'one that lets nobody in', status: 403, body: HTML },
  { what: 'one that has enough', status: 429, body: '' },
  { what: 'one in trouble', status: 503, body: HTML },
])('$what is loaded', async ({ status, body }) => {
  await expect(mustServe({ profile: await target(status, body) })).resolves.toBeUndefined()
})

test.each([
  { what: 'a server that knows no such path', status: 404, body: '{}', says: 'answered 404; expected 200' },
  { what: 'a redirect', status: 302, body: '', says: 'answered 302; expected 200' },
  {
    what: 'an app that answers its page to everything',
    status: 200,
    body: HTML,
    says: 'answered 200, and no JSON',
  },
])('$what is not', async ({ status, body, says }) => {
  const profile = await target(status, body)
  await expect(mustServe({ profile })).rejects.toMatchObject({
    message: `GET ${profile.baseUrl}/tokens: ${says}: that is no exchange`,
    hint: expect.stringContaining('Is baseUrl of the profile right'),
    exitCode: 3,
  })
})

test('a target that does not answer is for the load to judge', async () => {
  const profile = profileSchema.parse({ name: 't', baseUrl: 'http://127.0.0.1:1', wsUrl: 'ws://127.0.0.1:1' })
  await expect(mustServe({ profile })).resolves.toBeUndefined()
})

test('asks with the headers and the origin of the profile', async () => {
  const seen: unknown[] = []
  const profile = await target(200, '{}', (headers) => seen.push([headers['x-team'], headers.origin]))
  await mustServe({ profile: { ...profile, headers: { 'X-Team': 'blue' }, origin: 'https://app.example' } })
  expect(seen).toEqual([['blue', 'https://app.example']])
})

test.each([
  ['gzip', gzipSync],
  ['deflate', deflateSync],
  ['br', brotliCompressSync],
])('an exchange behind a proxy that compresses with %s is loaded', async (encoding, compress) => {
  const accepted: unknown[] = []
  const onRequest = (headers: IncomingHttpHeaders) => accepted.push(headers['accept-encoding'])
  const profile = await target(200, compress('{}'), onRequest, { 'Content-Encoding': encoding })
  const headers = { 'Accept-Encoding': 'zstd' } // which k6 reads, and Node does not
  await expect(mustServe({ profile: { ...profile, headers } })).resolves.toBeUndefined()
  expect(accepted).toEqual(['gzip, deflate, br'])
})

async function target(
  status: number,
  body: string | Buffer,
  onRequest: (headers: IncomingHttpHeaders) => void = () => {},
  headers: OutgoingHttpHeaders = {},
) {
  const server = createServer((request, response) => {
    onRequest(request.headers)
    response.writeHead(status, headers).end(body)
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo // as: it listens on a port
  return profileSchema.parse({ name: 't', baseUrl: `http://127.0.0.1:${port}`, wsUrl: 'ws://127.0.0.1:1' })
}

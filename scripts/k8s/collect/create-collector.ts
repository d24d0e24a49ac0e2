import { createHash, timingSafeEqual } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { constants, createGzip } from 'node:zlib'
import { hostInUrl } from '../../../contract/addresses.ts'
import { fileFailure } from '../../../contract/breakwater-error.ts'
import { type FileStore, isFileName, openFileStore } from './open-file-store.ts'

/** Header for the token: an API server consumes `Authorization` and forwards other headers. */
export const TOKEN_HEADER = 'x-breakwater-token'

/** Safe in a header, and too long to guess. */
export const TOKEN = /^[A-Za-z0-9._~-]{16,200}$/

function isToken(given: string | string[] | undefined, token: string): boolean {
  return typeof given === 'string' && timingSafeEqual(digest(given), digest(token))
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}

export type Collector = {
  url: string
  /** Drops every connection and waits until all writes are done. */
  close(): Promise<void>
}

/** Limit for bodies in memory while many runners catch up; the others wait. */
const HELD_MAX_BYTES = 32 << 20

/** Node server limits. An append must arrive within a minute; connections are kept for the next one. */
const TIMEOUTS = { headersTimeout: 10_000, requestTimeout: 60_000, keepAliveTimeout: 75_000 }

/**
 * Serves the files of an existing folder; port 0 picks a free one. Appends and reads need the token. Throws what
 * node:net throws if it cannot listen.
 */
export async function createCollector(options: {
  dir: string
  token: string
  host: string
  port: number
}): Promise<Collector> {
  const { dir, token, host, port } = options
  const context = { store: openFileStore(dir), budget: byteBudget(HELD_MAX_BYTES), token }
  const underWay = new Set<Promise<void>>()
  const server = createServer(TIMEOUTS, (request, response) => {
    const served = serve(request, response, context).finally(() => underWay.delete(served))
    underWay.add(served)
  })
  server.listen({ host, port })
  await once(server, 'listening')
  return {
    url: `http://${hostInUrl(host)}:${(server.address() as AddressInfo).port}`, // as: it listens on a port, not on a pipe
    async close() {
      await closeServer(server)
      await Promise.all(underWay)
    },
  }
}

async function closeServer(server: Server): Promise<void> {
  const closed = once(server, 'close')
  server.close()
  server.closeAllConnections()
  await closed
}

type Context = Pick<FileRequest, 'store' | 'budget'> & { token: string }

/** Never throws: one peer's or the disk's error must not end other requests. */
async function serve(request: IncomingMessage, response: ServerResponse, context: Context): Promise<void> {
  try {
    await send(request, response, await findReply(request, context).catch(failed))
  } catch {
    // The peer has gone, or the file became unreadable: the truncated response shows it.
    response.destroy()
  }
}

async function findReply(request: IncomingMessage, { store, budget, token }: Context): Promise<Reply> {
  const [path = '', query = ''] = (request.url ?? '').split('?', 2)
  const matching = COLLECTOR_ROUTES.filter((route) => route.path.test(path))
  const route = matching.find(({ method }) => method === request.method)
  if (!route?.open && !isToken(request.headers[TOKEN_HEADER], token))
    return refusal(401, `${TOKEN_HEADER}: wrong token`)
  if (route === undefined)
    return matching.length === 0
      ? refusal(404, 'no such path')
      : refusal(405, `${request.method} is not allowed for this path`)
  const name = decoded(route.path.exec(path)?.[1] ?? '')
  return route.handle({ request, name, query: new URLSearchParams(query), store, budget })
}

/** An undecodable name is invalid and gets that error. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return ''
  }
}

/** The first two disk errors are transient: they end when space is freed. */
function failed(error: NodeJS.ErrnoException): Reply {
  const full = ['ENOSPC', 'EDQUOT', 'EFBIG'].includes(error.code ?? '')
  return refusal(full ? 507 : 500, fileFailure(error))
}

async function send(request: IncomingMessage, response: ServerResponse, reply: Reply): Promise<void> {
  // Discards the rest of an unwanted body, for at most a minute.
  request.resume()
  if ('json' in reply) {
    response.writeHead(reply.status, { 'Content-Type': 'application/json' })
    response.end(`${JSON.stringify(reply.json)}\n`)
    return
  }
  response.setHeader('Content-Type', 'application/octet-stream')
  response.setHeader('X-Breakwater-Size', reply.size)
  if (!/\bgzip\b/.test(request.headers['accept-encoding'] ?? '')) return pipeline(reply.bytes, response)
  response.setHeader('Content-Encoding', 'gzip')
  // Series are repetitive: even the fastest level compresses them to a tenth.
  await pipeline(reply.bytes, createGzip({ level: constants.Z_BEST_SPEED }), response)
}

export const APPEND_MAX_BYTES = 8 << 20

type Reply = { status: number; json: unknown } | { status: 200; bytes: Readable; size: number }

type FileRequest = {
  request: IncomingMessage
  name: string
  query: URLSearchParams
  store: FileStore
  budget: ByteBudget
}

type Route = {
  method: 'GET' | 'POST'
  path: RegExp
  open?: true
  handle: (request: FileRequest) => Reply | Promise<Reply>
}

const COLLECTOR_ROUTES: readonly Route[] = [
  { method: 'GET', path: /^\/health$/, open: true, handle: () => ({ status: 200, json: { status: 'ok' } }) },
  {
    method: 'GET',
    path: /^\/files$/,
    handle: async ({ store }) => ({ status: 200, json: await store.list() }),
  },
  { method: 'GET', path: /^\/files\/([^/]*)$/, handle: sendFile },
  { method: 'POST', path: /^\/files\/([^/]*)$/, handle: append },
]

async function sendFile({ name, query, store }: FileRequest): Promise<Reply> {
  const from = place(query.get('from') ?? '0')
  if (!isFileName(name)) return BAD_NAME
  if (from === null) return badPlace('from')
  const found = await store.read(name, from)
  if (found === null) return refusal(404, 'no such file')
  const { size, bytes } = found
  if (from <= size) return { status: 200, bytes, size }
  // A larger offset means that the file was replaced: report it.
  bytes.destroy()
  return { status: 416, json: { error: 'the offset is past the end of the file', size } }
}

async function append({ request, name, query, store, budget }: FileRequest): Promise<Reply> {
  const offset = place(query.get('offset') ?? '')
  if (!isFileName(name)) return BAD_NAME
  if (offset === null) return badPlace('offset')
  return withBody(request, { maxBytes: APPEND_MAX_BYTES, budget }, async (pieces) => {
    if (pieces === null) return TOO_LARGE
    const { done, size } = await store.append(name, { offset, pieces })
    return { status: done ? 200 : 409, json: { size } }
  })
}

function place(text: string): number | null {
  return /^[0-9]{1,15}$/.test(text) ? Number(text) : null
}

function refusal(status: number, error: string): Reply {
  return { status, json: { error } }
}

function badPlace(parameter: string): Reply {
  return refusal(400, `${parameter}: expected a number of bytes`)
}

const BAD_NAME = refusal(
  400,
  'the file name: expected 1 to 200 letters, digits, dots, hyphens and underscores, no dot first',
)

const TOO_LARGE = refusal(413, `the body is larger than ${APPEND_MAX_BYTES} bytes`)

/**
 * Reads a request body in chunks; null: larger than the limit, and not read to its end. Waits for a share of the
 * budget, which is returned when `use` is done. Throws if the connection drops.
 */
async function withBody<T>(
  request: IncomingMessage,
  { maxBytes, budget }: { maxBytes: number; budget: ByteBudget },
  use: (pieces: readonly Buffer[] | null) => Promise<T>,
): Promise<T> {
  const declared = request.headers['content-length']
  const expected = declared === undefined ? maxBytes : Number(declared)
  if (expected > maxBytes) return use(null)
  const giveBack = await budget.take(expected)
  try {
    return await use(await read(request, maxBytes))
  } finally {
    giveBack()
  }
}

async function read(request: IncomingMessage, maxBytes: number): Promise<Buffer[] | null> {
  const pieces: Buffer[] = []
  let size = 0
  // Keeps the connection open on early exit, because the response uses it.
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    size += chunk.length
    if (size > maxBytes) return null
    pieces.push(chunk)
  }
  return pieces
}

/** Limits the bytes in memory. Requests beyond the limit wait in order. */
type ByteBudget = {
  /** Resolves to a function that returns the bytes. A request above the whole budget waits for all of it. */
  take(bytes: number): Promise<() => void>
}

export function byteBudget(totalBytes: number): ByteBudget {
  let free = totalBytes
  const waiting: { bytes: number; go: () => void }[] = []
  const serve = () => {
    for (let next = waiting[0]; next !== undefined && next.bytes <= free; next = waiting[0]) {
      waiting.shift()
      free -= next.bytes
      next.go()
    }
  }
  return {
    take: (wanted) =>
      new Promise((resolve) => {
        const bytes = Math.min(wanted, totalBytes)
        const giveBack = () => {
          free += bytes
          serve()
        }
        waiting.push({ bytes, go: () => resolve(giveBack) })
        serve()
      }),
  }
}

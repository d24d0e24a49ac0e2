/**
 * The HTTP server of the live view: one page and one stream of events, for this machine only. The address contains a
 * token, so that no other user or page of the machine can read the run.
 */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { isLoopbackHost } from '../../contract/addresses.ts'
import { BreakwaterError, EXIT, fileFailure } from '../../contract/breakwater-error.ts'

export type LiveServer = {
  /** With the token. */
  url: string
  /** False if no one would see a new event. */
  isWatched(): boolean
  /** Sends an event to every client, and disconnects those that have not received the one before. */
  send(data: string): void
  /** Sends a last event, and closes all connections within half a second. */
  close(data: string): Promise<void>
}

const HOST = '127.0.0.1'
const CLIENTS_MAX = 16
const TOKEN_BYTES = 24
const HEARTBEAT_MS = 15_000
const CLOSE_MS = 500

/** The page's own policy is in the page. */
const HEADERS = {
  'Cache-Control': 'no-store',
  'Content-Security-Policy': "frame-ancestors 'none'",
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
}

/**
 * Listens on a free port of the loopback. `getPage` renders the page; `getEvent` gives the data that a new client of
 * the stream gets first, as one line. Throws a BreakwaterError (environment) if it cannot listen.
 */
export async function serveLive(options: {
  getPage: () => Promise<string>
  getEvent: () => string
}): Promise<LiveServer> {
  const token = randomBytes(TOKEN_BYTES).toString('base64url')
  const clients = new Set<ServerResponse>()
  let events = 0
  const write = (client: ServerResponse, text: string) => {
    if (client.writableLength === 0) client.write(text)
    else client.destroy()
  }
  const eventText = (data: string) => `id: ${events}\ndata: ${data}\n\n`
  const addClient = (response: ServerResponse) => {
    if (clients.size >= CLIENTS_MAX) return refuse(response, 503, 'Too many pages show this run already.')
    clients.add(response)
    response.on('close', () => clients.delete(response))
    response.writeHead(200, { ...HEADERS, 'Content-Type': 'text/event-stream', Connection: 'close' })
    response.write(`retry: 1000\n\n${eventText(options.getEvent())}`)
  }
  const respond = async (request: IncomingMessage, response: ServerResponse) => {
    response.on('error', () => {})
    if (!isLoopbackHost(request.headers.host))
      return refuse(response, 403, 'The Host header must name the loopback.')
    const [, given = '', resource] = /^\/([^/?]*)\/([^?]*)(?:\?|$)/.exec(request.url ?? '') ?? []
    const respondTo = resource === undefined ? undefined : RESOURCES.get(resource)
    if (!isSame(given, token) || respondTo === undefined) return refuse(response, 404, 'Not found.')
    if (request.method !== 'GET')
      return refuse(response.setHeader('Allow', 'GET'), 405, 'Only GET is allowed.')
    await respondTo(response)
  }
  const RESOURCES = new Map<string, (response: ServerResponse) => unknown>([
    ['', async (response) => sendText(response, 200, await options.getPage(), 'text/html')],
    ['events', addClient],
  ])
  const server = createServer((request, response) => {
    respond(request, response).catch(() => response.destroy())
  })
  server.listen(0, HOST)
  await once(server, 'listening').catch((cause) => {
    throw new BreakwaterError(`--live: cannot listen on ${HOST}: ${fileFailure(cause)}`, {
      hint: 'Omit --live, or allow connections to the loopback.',
      exitCode: EXIT.environment,
      cause,
    })
  })
  const heartbeat = setInterval(() => {
    for (const client of clients) write(client, ':\n\n')
  }, HEARTBEAT_MS).unref()
  return {
    url: `http://${HOST}:${(server.address() as AddressInfo).port}/${token}/`, // as: it listens on a port
    isWatched: () => clients.size > 0,
    send(data) {
      events += 1
      for (const client of clients) write(client, eventText(data))
    },
    async close(data) {
      clearInterval(heartbeat)
      events += 1
      for (const client of clients) client.end(eventText(data))
      const late = setTimeout(() => server.closeAllConnections(), CLOSE_MS)
      server.close()
      server.closeIdleConnections()
      await once(server, 'close')
      clearTimeout(late)
    },
  }
}

function refuse(response: ServerResponse, status: number, text: string): void {
  sendText(response, status, `${text}\n`, 'text/plain')
}

function sendText(response: ServerResponse, status: number, text: string, type: string): void {
  response.writeHead(status, { ...HEADERS, 'Content-Type': `${type}; charset=utf-8` }).end(text)
}

/** Compares digests: constant time for any length. */
function isSame(given: string, token: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(given), digest(token))
}

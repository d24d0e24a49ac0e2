import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { isLoopbackHost } from '../../contract/addresses.ts'
import { BreakwaterError, EXIT, fileFailure } from '../../contract/breakwater-error.ts'
import type { Slo } from '../../contract/slo.ts'
import { followRunFolder } from '../../reports/follow-run.ts'
import { type LiveState, renderLivePage, waitingState } from '../../reports/html/render-live.ts'
import { visibleLine } from '../../reports/visible.ts'

export type LiveView = {
  /** The address of the page. Whoever knows it can read the run, on this machine only. */
  url: string
  /** Shows this run folder from now on. */
  watch(folder: { dir: string; slo?: Slo }): void
  /** Shows these states from now on: the same object again if nothing changed. */
  show(look: () => Promise<LiveState>): void
  /** Shows the end of the run, and stops serving. */
  end(): Promise<void>
}

const LOOK_MS = 1000
/** Pauses for this many times as long as a look took: a long run is looked at less often. */
const PAUSE_FACTOR = 9

/**
 * Serves the live view of a run until `end`. Reads the run folder only while a page is open. `styles` are those of the page
 * (default: those of a report). Throws a BreakwaterError (environment) if it cannot listen.
 */
export async function openLiveView({ styles }: { styles?: readonly string[] } = {}): Promise<LiveView> {
  let look = async (): Promise<LiveState> => waitingState()
  let state = waitingState()
  let event = JSON.stringify(state)
  let looking: Promise<boolean> | undefined
  /** Resolves to whether the state changed. */
  const refresh = () => {
    looking ??= readState(look, state)
      .then((newest) => {
        if (newest === state) return false
        const text = JSON.stringify(newest)
        const isNew = text !== event
        state = newest
        event = text
        return isNew
      })
      .finally(() => {
        looking = undefined
      })
    return looking
  }
  const server = await serveLive({
    async getPage() {
      if (await refresh()) server.send(event)
      return renderLivePage(state, styles)
    },
    getEvent: () => event,
  })
  let timer: NodeJS.Timeout | undefined
  const repeat = async () => {
    const startedMs = performance.now()
    if (server.isWatched() && (await refresh())) server.send(event)
    if (timer !== undefined) start(Math.max(LOOK_MS, PAUSE_FACTOR * (performance.now() - startedMs)))
  }
  const start = (ms: number) => {
    timer = setTimeout(repeat, ms).unref()
  }
  start(LOOK_MS)
  return {
    url: server.url,
    watch(folder) {
      look = followRunFolder(folder)
    },
    show(given) {
      look = given
    },
    async end() {
      clearTimeout(timer)
      timer = undefined
      // One that began earlier may not have seen the end.
      await looking
      if (server.isWatched()) await refresh()
      await server.close(JSON.stringify(state.isOver ? state : { ...state, isOver: true, status: ENDED }))
    },
  }
}

const ENDED = 'The command has ended. This page no longer changes.'

/** An error changes only the status: it may be transient, and must never end the run. */
async function readState(look: () => Promise<LiveState>, before: LiveState): Promise<LiveState> {
  try {
    return await look()
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    return { ...before, status: `The run folder cannot be read. ${visibleLine(message)}` }
  }
}

/**
 * The HTTP server of the live view: one page and one stream of events, for this machine only. The address contains a
 * token, so that no other user or page of the machine can read the run.
 */
type LiveServer = {
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

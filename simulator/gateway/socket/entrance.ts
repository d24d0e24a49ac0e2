import { createServer, type IncomingMessage, type Server } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { type WebSocket, WebSocketServer } from 'ws'
import type { Choices } from '../../choices/choices.ts'
import type { FeedChoices } from '../../choices/feed-choices.ts'
import type { Clock } from '../../clock.ts'
import type { Faults } from '../../faults/faults.ts'
import { type BareResponse, describeBrokenHttp, sendBareResponse } from '../../http/bare-response.ts'
import { buildTimeouts, type HttpBounds, type TlsIdentity } from '../../http/listener.ts'
import { getTransports } from '../../http/transports.ts'
import { FEED_PATH } from '../feed-protocol.ts'
import { createFaultyUpgrades, type FailedUpgrade, type UpgradeOutcome } from './faulty-upgrades.ts'
import type { Handshake } from './open-socket.ts'

export type Entrance = {
  server: Server
  /** Responds to later upgrades with 503. */
  shut(): void
}

/** An upgraded connection. */
export type Guest = {
  socket: WebSocket
  /** The stream below the socket. */
  stream: Duplex
  /** Frees the place of an unauthenticated connection. */
  known(): void
  handshake: Handshake
  userAgent: string
  remoteAddress: string
  /** When the upgrade arrived: a fault may delay it. */
  arrivedMs: number
  url: string
}

/**
 * Turns connections into sockets: limits unauthenticated ones, and rejects everything except an upgrade to the feed.
 */
export function createEntrance(options: {
  clock: Clock
  choices: Pick<Choices, 'feed' | 'wire'>
  http: HttpBounds
  /** Default: plain HTTP. */
  tls: TlsIdentity | undefined
  frameBytesMax: number
  faults: Pick<Faults, 'hooks'>
  sync: () => void
  /** True if no further socket may open. */
  isFull: () => boolean
  enter: (guest: Guest) => void
  /** Called when a client learns that its upgrade opened no socket. */
  rejected: (upgrade: FailedUpgrade) => void
}): Entrance {
  const { clock, http, tls, frameBytesMax, faults, sync, isFull, enter, rejected } = options
  const { feed, wire } = options.choices
  const strangers = createStrangers(feed)
  const places = new WeakMap<Duplex, ReturnType<typeof strangers.admit>>()
  const refuse = (stream: Duplex, response: BareResponse) => sendBareResponse(stream, response, { clock })
  // The library's types do not list closeTimeout yet, so this is not inlined. Without extensions: see outbox.ts.
  const socketOptions = {
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    autoPong: false, // connections send pongs, and count pings
    maxPayload: frameBytesMax,
    closeTimeout: feed.closeTimeoutMs,
  }
  const retryAfter = () => ({
    'Retry-After': wire.retryAfter({ waitMs: feed.strangersRetryAfterSeconds * 1000, nowMs: clock.nowMs() }),
  })
  const sockets = new WebSocketServer(socketOptions)
  const server = tls
    ? createTlsServer({ ...buildTimeouts(http), ...tls, handshakeTimeout: http.headersMs })
    : createServer(buildTimeouts(http))
  server.maxConnections = http.connectionsMax
  const transports = getTransports(server)
  const upgrades = createFaultyUpgrades({
    faults,
    clock,
    sync,
    refuse,
    // as: a stream of a TCP or TLS server
    reset: (stream) => transports.reset(stream as Socket),
  })

  server.on(tls ? 'secureConnection' : 'connection', (stream: Socket) => {
    const place = strangers.admit(stream.remoteAddress ?? '')
    places.set(stream, place)
    stream.once('close', place.leave)
  })
  server.on('upgrade', (request, stream, head) => {
    sync()
    const place = places.get(stream)
    const report = createReport(request, { clock, rejected })
    const crowd = place?.crowd ?? (isFull() ? 'sockets' : null)
    if (crowd !== null) {
      const response = { ...CROWD[crowd], headers: retryAfter() }
      report({ outcome: 'rejected', ...response, retryAfterMs: feed.strangersRetryAfterSeconds * 1000 })
      return refuse(stream, response)
    }
    if (request.url?.split('?')[0] !== FEED_PATH) {
      report({ outcome: 'rejected', ...NOT_THE_FEED })
      return refuse(stream, NOT_THE_FEED)
    }
    const userAgent = request.headers['user-agent'] ?? ''
    const arrivedMs = clock.nowMs()
    const open = () =>
      sockets.handleUpgrade(request, stream, head, (socket) =>
        enter({
          socket,
          stream,
          // No closure: it would keep the request as long as the socket is open.
          known: place?.leave ?? (() => {}),
          handshake: { authorization: request.headers.authorization, cookie: request.headers.cookie },
          userAgent,
          remoteAddress: request.socket.remoteAddress ?? '',
          arrivedMs,
          url: request.url ?? '',
        }),
      )
    upgrades.handle({ stream, userAgent, open, report })
  })
  sockets.on('wsClientError', (error, stream, request) => {
    const response = handshakeResponse(error, request.method)
    createReport(request, { clock, rejected })({ outcome: 'rejected', ...response })
    refuse(stream, response)
  })
  server.on('request', (request) => refuse(request.socket, NO_UPGRADE))
  server.on('clientError', (error, stream) => {
    if (stream.writable) refuse(stream, describeBrokenHttp(error, MALFORMED))
    else stream.destroy()
  })
  return {
    server,
    shut() {
      sockets.close()
      upgrades.close()
    },
  }
}

function createReport(
  { headers, socket }: IncomingMessage,
  options: { clock: Clock; rejected: (upgrade: FailedUpgrade) => void },
): (outcome: UpgradeOutcome) => void {
  const { clock, rejected } = options
  const { remoteAddress = '' } = socket
  const arrivedMs = clock.nowMs()
  return ({ outcome, status = null, code = null, retryAfterMs = null }) =>
    rejected({
      remoteAddress,
      userAgent: headers['user-agent'] ?? '',
      arrivedMs,
      outcome,
      status,
      code,
      retryAfterMs,
    })
}

const MALFORMED = { error: 'the request is malformed', code: 'invalid_request' }

const NOT_THE_FEED: BareResponse = {
  status: 404,
  error: `nothing at this path: the feed is at ${FEED_PATH}`,
  code: 'not_found',
}

const NO_UPGRADE: BareResponse = {
  status: 426,
  error: 'this host speaks WebSocket only',
  code: 'upgrade_required',
  headers: { Connection: 'Upgrade, close', Upgrade: 'websocket' },
}

/** RFC 6455, section 4.2.2: a server sends its supported version. */
function handshakeResponse(error: Error, method: string | undefined): BareResponse {
  const isGet = method === 'GET'
  return {
    status: isGet ? 400 : 405,
    error: `${MALFORMED.error}: ${error.message}`,
    code: MALFORMED.code,
    headers: { 'Sec-WebSocket-Version': '13', ...(!isGet && { Allow: 'GET' }) },
  }
}

const CROWD: Record<Crowd, BareResponse> = {
  address: {
    status: 429,
    error: 'too many unauthenticated connections from this address',
    code: 'rate_limited',
  },
  all: { status: 503, error: 'too many unauthenticated connections', code: 'feed_full' },
  sockets: { status: 503, error: 'too many open sockets', code: 'feed_full' },
}

/** The limit that a connection exceeds: unauthenticated ones of its address, all of them, or open sockets. */
type Crowd = 'address' | 'all' | 'sockets'

/** Counts and limits unauthenticated connections, by peer address. */
type Strangers = {
  /** Takes a place until `leave` is called, or returns the exceeded limit. */
  admit(address: string): { crowd: Crowd | null; leave(): void }
}

export function createStrangers(
  bounds: Pick<FeedChoices, 'strangersMax' | 'strangersPerAddressMax'>,
): Strangers {
  const byAddress = new Map<string, number>()
  let total = 0

  return {
    admit(address) {
      const ofAddress = byAddress.get(address) ?? 0
      if (ofAddress >= bounds.strangersPerAddressMax) return { crowd: 'address', leave() {} }
      if (total >= bounds.strangersMax) return { crowd: 'all', leave() {} }
      byAddress.set(address, ofAddress + 1)
      total++
      let isHere = true
      return {
        crowd: null,
        leave() {
          if (!isHere) return
          isHere = false
          total--
          const left = (byAddress.get(address) ?? 0) - 1
          if (left > 0) byAddress.set(address, left)
          else byAddress.delete(address)
        },
      }
    },
  }
}

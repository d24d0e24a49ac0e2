import { createServer, type Server } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { type WebSocket, WebSocketServer } from 'ws'
import type { Choices } from '../../choices/choices.ts'
import type { Clock } from '../../clock.ts'
import type { Faults } from '../../faults/faults.ts'
import { answerBare, type BareAnswer, brokenHttpAnswer } from '../../http/bare-answer.ts'
import { type HttpBounds, timeoutsOf } from '../../http/http-bounds.ts'
import type { TlsIdentity } from '../../http/serve-tls.ts'
import { transportsOf } from '../../http/transports.ts'
import { FEED_PATH } from '../feed-protocol.ts'
import { createFaultyUpgrades } from './faulty-upgrades.ts'
import { type Crowd, createStrangers } from './strangers.ts'

export type Entrance = {
  server: Server
  /** From here an upgrade is answered with 503. */
  shut(): void
}

/** Who has come in. */
export type Guest = {
  socket: WebSocket
  /** What the socket speaks over. */
  stream: Duplex
  /** It has authenticated, and takes no stranger's place any more. */
  known(): void
  /** Of the handshake; only a mutant looks at it. */
  authorization: string | undefined
  /** Of the handshake. */
  userAgent: string
  remoteAddress: string
  url: string
}

/**
 * From a connection to a socket: bounds those that have not authenticated, and refuses all but an upgrade to the feed.
 */
export function createEntrance(options: {
  clock: Clock
  choices: Pick<Choices, 'feed' | 'wire'>
  http: HttpBounds
  /** Then it speaks TLS; plain HTTP if left out. */
  tls: TlsIdentity | undefined
  frameBytesMax: number
  faults: Pick<Faults, 'seams'>
  /** Brings the clock up to date. */
  sync: () => void
  enter: (guest: Guest) => void
}): Entrance {
  const { clock, http, tls, frameBytesMax, faults, sync, enter } = options
  const { feed, wire } = options.choices
  const strangers = createStrangers(feed)
  const places = new WeakMap<Duplex, ReturnType<typeof strangers.admit>>()
  const refuse = (stream: Duplex, answer: BareAnswer) => answerBare(stream, answer, { clock })
  // A variable of its own, as the library's types do not list closeTimeout yet. Without extensions: see outbox.ts.
  const socketOptions = {
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    autoPong: false, // connections answer pings, and count them
    maxPayload: frameBytesMax,
    closeTimeout: feed.closeTimeoutMs,
  }
  const retryAfter = () => ({
    'Retry-After': wire.retryAfter({ waitMs: feed.strangersRetryAfterSeconds * 1000, nowMs: clock.nowMs() }),
  })
  const sockets = new WebSocketServer(socketOptions)
  const server = tls
    ? createTlsServer({ ...timeoutsOf(http), ...tls, handshakeTimeout: http.headersMs })
    : createServer(timeoutsOf(http))
  server.maxConnections = http.connectionsMax
  const transports = transportsOf(server)
  const upgrades = createFaultyUpgrades({
    faults,
    clock,
    sync,
    refuse,
    // as: a stream of a server of TCP or TLS
    reset: (stream) => transports.reset(stream as Socket),
  })

  server.on(tls ? 'secureConnection' : 'connection', (stream: Socket) => {
    const place = strangers.admit(stream.remoteAddress ?? '')
    places.set(stream, place)
    stream.once('close', place.leave)
  })
  server.on('upgrade', (request, stream, head) => {
    const place = places.get(stream)
    if (place?.crowd) return refuse(stream, { ...CROWD[place.crowd], headers: retryAfter() })
    if (request.url?.split('?')[0] !== FEED_PATH) return refuse(stream, NOT_THE_FEED)
    const userAgent = request.headers['user-agent'] ?? ''
    const open = () =>
      sockets.handleUpgrade(request, stream, head, (socket) =>
        enter({
          socket,
          stream,
          known: () => place?.leave(),
          authorization: request.headers.authorization,
          userAgent,
          remoteAddress: request.socket.remoteAddress ?? '',
          url: request.url ?? '',
        }),
      )
    upgrades.meet({ stream, userAgent, open })
  })
  sockets.on('wsClientError', (error, stream, { method }) => refuse(stream, handshakeAnswer(error, method)))
  server.on('request', (request) => refuse(request.socket, NO_UPGRADE))
  server.on('clientError', (error, stream) => {
    if (stream.writable) refuse(stream, brokenHttpAnswer(error, MALFORMED))
    else stream.destroy()
  })
  return {
    server,
    shut() {
      sockets.close()
      upgrades.shut()
    },
  }
}

const MALFORMED = { error: 'the request is malformed', code: 'invalid_request' }

const NOT_THE_FEED: BareAnswer = {
  status: 404,
  error: `there is nothing at this path: the feed is at ${FEED_PATH}`,
  code: 'not_found',
}

const NO_UPGRADE: BareAnswer = {
  status: 426,
  error: 'this host speaks WebSocket only',
  code: 'upgrade_required',
  headers: { Connection: 'Upgrade, close', Upgrade: 'websocket' },
}

/** RFC 6455, section 4.2.2: a server tells the version that it speaks. */
function handshakeAnswer(error: Error, method: string | undefined): BareAnswer {
  const isGet = method === 'GET'
  return {
    status: isGet ? 400 : 405,
    error: `${MALFORMED.error}: ${error.message}`,
    code: MALFORMED.code,
    headers: { 'Sec-WebSocket-Version': '13', ...(!isGet && { Allow: 'GET' }) },
  }
}

const CROWD: Record<Crowd, BareAnswer> = {
  address: {
    status: 429,
    error: 'too many connections of this address have not authenticated',
    code: 'rate_limited',
  },
  all: { status: 503, error: 'too many connections have not authenticated', code: 'feed_full' },
}

import type { Server } from 'node:http'
import type { Http2SecureServer } from 'node:http2'
import type { AddressInfo } from 'node:net'
import type { FastifyHttpOptions, FastifyInstance } from 'fastify'
import { BreakwaterError, EXIT, listenFailure } from '../../contract/breakwater-error.ts'
import { transportsOf } from './transports.ts'

/** What a listener needs to speak TLS, as PEM: its certificate, and the private key of that. */
export type TlsIdentity = { cert: string; key: string }

/** As nginx and HAProxy have it, or near it. */
const STREAMS_MAX = 128

/**
 * The options by which Fastify makes its server: of HTTP/1.1, or, with an identity, of TLS, where client and server agree on HTTP/2
 * or HTTP/1.1 by ALPN. `boundServer` has to be called with what was made.
 */
export function listenerOptions(tls: TlsIdentity | undefined, http: HttpBounds): FastifyHttpOptions<Server> {
  if (!tls) return { http: timeoutsOf(http), requestTimeout: http.requestMs }
  const options = {
    http2: true,
    https: {
      ...tls,
      allowHTTP1: true,
      handshakeTimeout: http.headersMs,
      settings: { maxConcurrentStreams: STREAMS_MAX },
    },
  }
  // as: a server of HTTP/2 gives and takes the same requests and replies; its type would go through every signature
  return options as FastifyHttpOptions<Server>
}

/** Sets what Node's servers take as fields (of HTTP/2, also the bounds of the HTTP/1.1 that they speak), and follows connections. */
export function boundServer(server: Server | Http2SecureServer, http: HttpBounds): void {
  transportsOf(server)
  Object.assign(server, timeoutsOf(http))
  server.maxConnections = http.connectionsMax
}

/**
 * How long a connection may take to say what it wants, and how many there may be. In real time, like everything about
 * the transport: the world's clock may stand still, or run a month in a second, while a peer writes its request.
 */
export type HttpBounds = {
  /** From the connection, or the first byte of a further request, to the end of the headers; then 408. */
  readonly headersMs: number
  /** The same to the end of the body. */
  readonly requestMs: number
  /** How often the two are looked at: a connection may live longer by so much. */
  readonly lookMs: number
  /** Open at once, whatever they are doing; a further one is closed unheard. */
  readonly connectionsMax: number
}

export const HTTP_BOUNDS: HttpBounds = {
  headersMs: 10_000,
  requestMs: 30_000,
  lookMs: 1000,
  connectionsMax: 16_000,
}

/** As Node's servers take them; the last is to be set on the server itself. */
export function timeoutsOf({ headersMs, requestMs, lookMs }: HttpBounds) {
  return { headersTimeout: headersMs, requestTimeout: requestMs, connectionsCheckingInterval: lookMs }
}

/**
 * As Fastify's own parser, but an empty body is none: clients send the JSON content type with requests that have no
 * body. And bytes that are no UTF-8 are no JSON (RFC 8259, section 8.1), where decoding them would make others of them.
 */
export function takeJsonBodies(app: FastifyInstance): void {
  // Names that would make a prototype go, as other names that nobody asked for do.
  const parse = app.getDefaultJsonParser('remove', 'remove')
  const decoder = new TextDecoder('utf-8', { fatal: true })
  app.removeContentTypeParser(['application/json', 'text/plain'])
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    if (body.length === 0) return done(null, undefined)
    let text: string
    try {
      text = decoder.decode(Buffer.from(body))
    } catch {
      return done(Object.assign(new Error('the body is not UTF-8'), { statusCode: 400 }), undefined)
    }
    parse(request, text, done)
  })
}

/** Opens a listener. Throws BreakwaterError: environment, if the port of that option cannot be had. */
export async function listenAt(
  option: string,
  port: number | undefined,
  open: (port: number) => Promise<number>,
): Promise<number> {
  try {
    return await open(port ?? 0)
  } catch (cause) {
    const { reason, hint } = listenFailure(cause, { host: '--host', port: option })
    throw new BreakwaterError(`${option} ${port ?? 0}: ${reason}`, {
      hint,
      exitCode: EXIT.environment,
      cause,
    })
  }
}

/** Returns the port; rejects with the system’s error if it cannot be had. */
export async function listenServer(
  app: FastifyInstance,
  at: { host: string; port: number },
): Promise<number> {
  transportsOf(app.server)
  await app.listen(at)
  return (app.server.address() as AddressInfo).port // as: it listens on a port, not on a pipe
}

/** Cuts connections that are kept alive, or never sent a request: waiting for them would take a minute. */
export async function closeServer(app: FastifyInstance): Promise<void> {
  const closed = app.close()
  transportsOf(app.server).destroyAll()
  await closed
}

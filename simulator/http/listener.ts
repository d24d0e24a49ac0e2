import type { Server } from 'node:http'
import type { Http2SecureServer } from 'node:http2'
import type { AddressInfo } from 'node:net'
import type { FastifyHttpOptions, FastifyInstance } from 'fastify'
import { BreakwaterError, EXIT, listenFailure } from '../../contract/breakwater-error.ts'
import { getTransports } from './transports.ts'

/** Certificate and private key of a TLS listener, as PEM. */
export type TlsIdentity = { cert: string; key: string }

/** Close to nginx and HAProxy. */
const STREAMS_MAX = 128

/**
 * Options for Fastify's server: HTTP/1.1 or, with an identity, TLS with HTTP/2 or HTTP/1.1 by ALPN. Pass the created
 * server to `boundServer`.
 */
export function listenerOptions(tls: TlsIdentity | undefined, http: HttpBounds): FastifyHttpOptions<Server> {
  if (!tls) return { http: buildTimeouts(http), requestTimeout: http.requestMs }
  const options = {
    http2: true,
    https: {
      ...tls,
      allowHTTP1: true,
      handshakeTimeout: http.headersMs,
      settings: { maxConcurrentStreams: STREAMS_MAX },
    },
  }
  // as: HTTP/2 servers have the same requests and replies; their type would spread to every signature
  return options as FastifyHttpOptions<Server>
}

/**
 * Sets limits that Node's servers take as fields (for HTTP/2 also those of its HTTP/1.1 side), and follows connections.
 */
export function boundServer(server: Server | Http2SecureServer, http: HttpBounds): void {
  getTransports(server)
  Object.assign(server, buildTimeouts(http))
  server.maxConnections = http.connectionsMax
}

/**
 * Timeouts and the number of connections. In real time, like all of the transport: the world's clock may be stopped, or
 * run a month in a second, while a peer writes its request.
 */
export type HttpBounds = {
  /** From the connection, or the first byte of a later request, to the end of the headers; then 408. */
  readonly headersMs: number
  /** The same, to the end of the body. */
  readonly requestMs: number
  /** Interval of the timeout checks: a connection may live longer by this much. */
  readonly lookMs: number
  /** Open connections; further ones are closed at once. */
  readonly connectionsMax: number
}

export const HTTP_BOUNDS: HttpBounds = {
  headersMs: 10_000,
  requestMs: 30_000,
  lookMs: 1000,
  connectionsMax: 16_000,
}

/** As options of Node's servers; the last one must be set on the server itself. */
export function buildTimeouts({ headersMs, requestMs, lookMs }: HttpBounds) {
  return { headersTimeout: headersMs, requestTimeout: requestMs, connectionsCheckingInterval: lookMs }
}

/**
 * Parses JSON like Fastify, but accepts an empty body, since clients send the JSON content type without a body. Rejects
 * bytes that are not UTF-8 (RFC 8259, section 8.1), which decoding would replace.
 */
export function takeJsonBodies(app: FastifyInstance): void {
  // Removes keys that would set a prototype, like unknown keys.
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

/** Opens a listener. Throws BreakwaterError `environment` if the port of the option is unavailable. */
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

/** Returns the port; rejects with the system’s error if it is unavailable. */
export async function listenServer(
  app: FastifyInstance,
  at: { host: string; port: number },
): Promise<number> {
  getTransports(app.server)
  await app.listen(at)
  return (app.server.address() as AddressInfo).port // as: it listens on a port, not on a pipe
}

/** Cuts idle connections: waiting for them would take a minute. */
export async function closeServer(app: FastifyInstance): Promise<void> {
  const closed = app.close()
  getTransports(app.server).destroyAll()
  await closed
}

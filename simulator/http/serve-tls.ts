import type { Server } from 'node:http'
import type { Http2SecureServer } from 'node:http2'
import type { FastifyHttpOptions } from 'fastify'
import { type HttpBounds, timeoutsOf } from './http-bounds.ts'
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

import { constants, Http2ServerResponse } from 'node:http2'
import type { Server, Socket } from 'node:net'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Clock } from '../clock.ts'

/** The TCP connections of a server, which sockets of TLS and HTTP/2 requests do not expose. */
export type Transports = {
  /** Resets the connection below a socket of the server, with all its requests: the peer reads ECONNRESET. */
  reset(socket: Pick<Socket, 'remoteAddress' | 'remotePort'>): void
  destroyAll(): void
}

const FOLLOWED = new WeakMap<Server, Transports>()

/** Follows the connections of a server. Call this before the server listens. */
export function getTransports(server: Server): Transports {
  const followed = FOLLOWED.get(server) ?? followTransports(server)
  FOLLOWED.set(server, followed)
  return followed
}

/** Identifies a connection by its peer: HTTP/2 hands out proxies of sockets, and TLS its own sockets. */
function followTransports(server: Server): Transports {
  const sockets = new Map<string, Socket>()
  server.on('connection', (socket: Socket) => {
    const peer = formatPeer(socket)
    sockets.set(peer, socket)
    socket.once('close', () => {
      if (sockets.get(peer) === socket) sockets.delete(peer)
    })
  })
  return {
    reset: (socket) => void sockets.get(formatPeer(socket))?.resetAndDestroy(),
    destroyAll() {
      for (const socket of sockets.values()) socket.destroy()
    },
  }
}

function formatPeer({ remoteAddress, remotePort }: Pick<Socket, 'remoteAddress' | 'remotePort'>): string {
  return `${remoteAddress} ${remotePort}`
}

/** The peer reads ECONNRESET. Over HTTP/2 all requests on the connection end. */
export function resetConnection({ raw, server }: FastifyRequest): void {
  getTransports(server.server).reset(raw.socket)
}

/**
 * Sends the whole head and part of the announced body, then ends the connection; over HTTP/2 only the stream, since
 * other requests share the connection.
 */
export function cutAfter(reply: FastifyReply, body: string, bytes: number): void {
  const raw: FastifyReply['raw'] | Http2ServerResponse = reply.raw
  const part = sendHead(reply, body).subarray(0, bytes)
  if (raw instanceof Http2ServerResponse) {
    // An empty write completes when the head has been sent.
    raw.write(part, () => raw.stream.close(constants.NGHTTP2_INTERNAL_ERROR))
    return
  }
  if (part.length > 0) raw.write(part)
  raw.socket?.end(() => raw.socket?.destroy())
}

const CHUNKS_PER_SECOND = 10

/** Sends the head, and the body at this bandwidth, by the virtual clock. */
export function trickle(
  reply: FastifyReply,
  body: string,
  { bytesPerSecond, clock }: { bytesPerSecond: number; clock: Clock },
): void {
  const { raw } = reply
  const chunksPerSecond = Math.min(CHUNKS_PER_SECOND, bytesPerSecond)
  const chunkBytes = Math.floor(bytesPerSecond / chunksPerSecond)
  const goOn = (rest: Buffer) => {
    if (rest.length === 0) return void raw.end()
    const timer = clock.after(1000 / chunksPerSecond, () => {
      raw.off('close', timer.cancel)
      raw.write(rest.subarray(0, chunkBytes))
      goOn(rest.subarray(chunkBytes))
    })
    raw.once('close', timer.cancel)
  }
  goOn(sendHead(reply, body))
}

/** Bypasses Fastify, which would send the body too. Returns the body. */
function sendHead(reply: FastifyReply, body: string): Buffer {
  const bytes = Buffer.from(body)
  reply.header('content-length', bytes.length).hijack()
  // as: node:http headers may be numbers
  reply.raw.writeHead(reply.statusCode, reply.getHeaders() as Record<string, string | string[]>)
  reply.raw.flushHeaders()
  return bytes
}

export function payloadText(payload: unknown): string {
  if (typeof payload === 'string') return payload
  return payload instanceof Uint8Array ? Buffer.from(payload).toString() : ''
}

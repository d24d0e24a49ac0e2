import type { Server, Socket } from 'node:net'

/** The TCP connections of a server. Above TLS and HTTP/2, a request's own socket cannot reset or outlive them. */
export type Transports = {
  /** Ends the connection below a socket of the server so that its peer reads ECONNRESET; all requests on it end with it. */
  reset(socket: Pick<Socket, 'remoteAddress' | 'remotePort'>): void
  /** Ends them all, whatever they are doing. */
  destroyAll(): void
}

const FOLLOWED = new WeakMap<Server, Transports>()

/** The connections that a server has taken since this was first called for it: call it before the server listens. */
export function transportsOf(server: Server): Transports {
  const followed = FOLLOWED.get(server) ?? followTransports(server)
  FOLLOWED.set(server, followed)
  return followed
}

/** A connection is known by its peer: HTTP/2 hands out stand-ins for sockets, TLS sockets of its own. */
function followTransports(server: Server): Transports {
  const sockets = new Map<string, Socket>()
  server.on('connection', (socket: Socket) => {
    const peer = peerOf(socket)
    sockets.set(peer, socket)
    socket.once('close', () => {
      if (sockets.get(peer) === socket) sockets.delete(peer)
    })
  })
  return {
    reset: (socket) => void sockets.get(peerOf(socket))?.resetAndDestroy(),
    destroyAll() {
      for (const socket of sockets.values()) socket.destroy()
    },
  }
}

function peerOf({ remoteAddress, remotePort }: Pick<Socket, 'remoteAddress' | 'remotePort'>): string {
  return `${remoteAddress} ${remotePort}`
}

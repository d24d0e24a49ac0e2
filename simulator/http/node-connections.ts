import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Http2Session } from 'node:http2'
import type { Socket } from 'node:net'
import type { Clock } from '../clock.ts'

/** The connections of one listener, shared among nodes that drain and restart one by one. */
export type NodeConnections = {
  /**
   * Moves connections away from the node: over HTTP/1.1 the next response has `Connection: close`; over HTTP/2 GOAWAY
   * is sent at once, and open streams complete. New connections go to the other nodes.
   */
  drain(node: number): void
  /** Closes remaining connections: idle ones at once, the others after the pending response. */
  restart(node: number): void
}

/** Numbers nodes from 1 and assigns connections in turn. Call this before the server listens. */
export function shareConnections(server: Server, { nodes }: { nodes: number }): NodeConnections {
  const connected = Array.from({ length: nodes }, () => new Set<NodeConnection>())
  const draining = new Set<number>()
  const http1 = new WeakMap<Socket, Http1Connection>()
  let last = 0

  const nextNode = () => {
    do last = (last % nodes) + 1
    while (draining.has(last) && draining.size < nodes)
    return last
  }
  const add = (connection: NodeConnection, end: { once(event: 'close', listener: () => void): unknown }) => {
    const node = connected[nextNode() - 1]
    node?.add(connection)
    end.once('close', () => node?.delete(connection))
  }
  const addHttp1 = (socket: Socket) => {
    const connection = createHttp1Connection(socket)
    http1.set(socket, connection)
    add(connection, socket)
  }
  // Over TLS, HTTP/1.1 requests have the TLS socket; HTTP/2 hands out proxies, so its sessions are followed instead.
  if ('setSecureContext' in server)
    server.on('secureConnection', (socket) => socket.alpnProtocol !== 'h2' && addHttp1(socket))
  else server.on('connection', addHttp1)
  server.on('session', (session: Http2Session) =>
    add({ drain: () => session.close(), restart() {} }, session),
  )
  // Runs before the host, which may respond at once.
  server.prependListener('request', ({ socket }: IncomingMessage, response: ServerResponse) =>
    http1.get(socket)?.take(response),
  )

  return {
    drain(node) {
      draining.add(node)
      for (const connection of connected[node - 1] ?? []) connection.drain()
    },
    restart(node) {
      draining.delete(node)
      for (const connection of connected[node - 1] ?? []) connection.restart()
    },
  }
}

type NodeConnection = { drain(): void; restart(): void }
type Http1Connection = NodeConnection & { take(response: ServerResponse): void }

function createHttp1Connection(socket: Socket): Http1Connection {
  /** In request order: a client may pipeline requests. */
  const due = new Set<ServerResponse>()
  let isDraining = false
  let isRestarted = false

  /** Only on the last pending response: a client ignores later ones (RFC 9112, section 9.6). */
  const announceClose = () => {
    const [last, ...earlier] = [...due].reverse()
    if (last) last.shouldKeepAlive = false
    for (const response of earlier) response.shouldKeepAlive = true
  }

  return {
    take(response) {
      due.add(response)
      if (isDraining) announceClose()
      response.once('close', () => {
        due.delete(response)
        if (isRestarted && due.size === 0) socket.destroySoon()
      })
    },
    drain() {
      isDraining = true
      announceClose()
    },
    restart() {
      isRestarted = true
      if (due.size === 0) socket.destroySoon()
    },
  }
}

/** Virtual time from the moment that a REST node takes no new connections until it closes idle ones. */
export const DRAIN_MS = 2000

/** Never fewer than two: a single draining node would leave nothing to connect to. */
export function restNodes({ replicas, gateways }: { replicas: number; gateways: number }): number {
  return Math.max(2, replicas, gateways)
}

/**
 * Restarts the next node each period, in turn and without end. The gateway node of that number closes its sockets with
 * 1012 and continues at once; the REST node drains first.
 */
export function restartInTurn(options: {
  clock: Clock
  everyMs: number
  nodes: number
  rest: NodeConnections
  restartGateway(node: number): void
}): void {
  const { clock, everyMs, nodes, rest, restartGateway } = options
  const restart = (node: number) => {
    rest.drain(node)
    restartGateway(node)
    clock.after(DRAIN_MS, () => rest.restart(node))
    clock.after(everyMs, () => restart((node % nodes) + 1))
  }
  clock.after(everyMs, () => restart(1))
}

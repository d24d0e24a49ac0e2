import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Http2Session } from 'node:http2'
import type { Socket } from 'node:net'
import type { Clock } from '../clock.ts'

/** The connections of one listener, shared out among nodes that drain and restart one by one. */
export type NodeConnections = {
  /**
   * Connections of the node leave it: over HTTP/1.1 the next response carries `Connection: close`, over HTTP/2 GOAWAY comes at once,
   * and open streams complete. New connections go to the other nodes.
   */
  drain(node: number): void
  /** Closes what is still connected: idle connections at once, the others after the response that is due. */
  restart(node: number): void
}

/** Nodes are numbered from 1, and connections go to them in turn. To be called before the server listens. */
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
  // Over TLS, requests of HTTP/1.1 name the socket above it; HTTP/2 hands out stand-ins, so its sessions are followed instead.
  if ('setSecureContext' in server)
    server.on('secureConnection', (socket) => socket.alpnProtocol !== 'h2' && addHttp1(socket))
  else server.on('connection', addHttp1)
  server.on('session', (session: Http2Session) =>
    add({ drain: () => session.close(), restart() {} }, session),
  )
  // Ahead of the host, which may answer at once.
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
  /** In the order of their requests: a client may send several before the first response. */
  const due = new Set<ServerResponse>()
  let isDraining = false
  let isRestarted = false

  /** On the last one that is due: a client drops what it expects after that (RFC 9112, section 9.6). */
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

/** In the clock's time, from the moment when a REST node takes no new connections to that when it closes idle ones. */
export const DRAIN_MS = 2000

/** There are always two: a single node that drains would leave nothing to connect to. */
export function restNodes({ replicas, gateways }: { replicas: number; gateways: number }): number {
  return Math.max(2, replicas, gateways)
}

/**
 * Every period the next node restarts, in turn and without end. The gateway node of that number closes its sockets with 1012 and
 * serves again at once; the REST node drains first.
 */
export function restartInTurn(options: {
  clock: Clock
  everyMs: number
  nodes: number
  rest: NodeConnections
  /** Restarts the gateway node of that number, if it exists. */
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

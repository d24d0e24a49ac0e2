/**
 * The live feed of the stub exchange: a WebSocket server with its own listener. It authenticates sockets by ticket,
 * enforces rooms and limits, and sends the changes of each indexed block. choices/ decides what the specification
 * leaves open.
 */
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { hostInUrl } from '../../contract/addresses.ts'
import type { ActivityJournal } from '../activity-journal.ts'
import type { Auth } from '../auth/auth.ts'
import type { Choices } from '../choices/choices.ts'
import type { Close } from '../choices/feed-choices.ts'
import type { Clock } from '../clock.ts'
import { type Faults, NO_HOOKS } from '../faults/faults.ts'
import type { FaultyFeed } from '../faults/hooks.ts'
import { HTTP_BOUNDS, type HttpBounds, type TlsIdentity } from '../http/listener.ts'
import type { BlockUpdate, Views } from '../indexer/views/views.ts'
import type { Observing } from '../observer/observing.ts'
import { realTimer } from '../service-queue.ts'
import { STATED_LIMITS, type StubLimits } from '../stub-options.ts'
import { createFanOut, type FanOut } from './fan-out.ts'
import { RESTART } from './feed-protocol.ts'
import { createPublisher } from './publisher.ts'
import { createRooms } from './rooms.ts'
import type { Connection } from './socket/connection.ts'
import { type Every, everyRealMs } from './socket/connection.ts'
import { createEntrance, type Guest } from './socket/entrance.ts'
import type { FailedUpgrade } from './socket/faulty-upgrades.ts'
import { createFaultySockets, openSocket, type Wiring } from './socket/open-socket.ts'
import { type Credentials, createSocketReporter } from './socket/socket-reporter.ts'

export type SocketInfo = {
  id: number
  /** Gateway node of the socket, from 1. */
  node: number
  address: string | null
  rooms: number
  /** Number of events dropped because the peer read too slowly. */
  droppedEvents: number
}

export type Gateway = {
  /** Returns the port; rejects with the system error if it is unavailable. */
  listen(options: { host: string; port: number }): Promise<number>
  /** Takes a connection that does not come from the network. */
  accept(stream: Duplex): void
  /** Without a path; empty before `listen`. */
  url(): string
  nodes: number
  /**
   * Closes the sockets of a node (default: all nodes) with 1012 like a deployment, and keeps listening. Returns their
   * number.
   */
  restart(node?: number): number
  /**
   * Earlier events are no longer true: requires every socket in a room to refetch, since the specification has no event
   * for it.
   */
  requireResync(): void
  /** Open sockets, without those that are closing. */
  sockets(): readonly SocketInfo[]
  /** Totals since the start: each event counts once per socket. */
  events(): { sent: number; dropped: number }
  /** Actions of faults on sockets. */
  faulty: FaultyFeed
  /** Starts the closing handshake; returns false if the socket is not open. */
  closeSocket(id: number, close: Close): boolean
  /** Ends every socket with 1012, cuts those that do not respond in time, and stops listening. */
  close(): Promise<void>
}

export type GatewayOptions = {
  world: {
    views: Pick<Views, 'pool' | 'poolStats'>
    onBlock(listener: (update: BlockUpdate) => void): () => void
  }
  auth: Pick<Auth, 'redeemTicket'>
  clock: Clock
  choices: Choices
  limits?: StubLimits
  /** Nodes behind the one address (default: 1), which get connections in turn. Tickets, rooms and limits are shared. */
  nodes?: number
  /** Events that each node sends per second of real time; later ones wait (default: no limit). */
  fanOutRate?: number
  /** Open sockets of all nodes; further upgrades get a 503 (default: no limit). */
  socketsMax?: number
  /** Deviations between the gateway and its sockets (default: none). */
  wiring?: Wiring | undefined
  faults?: Pick<Faults, 'hooks'>
  /** Brings the clock up to date; called before a connection or a frame is handled. */
  sync?: () => void
  /** One line per opened and closed socket, without secrets. */
  log?: (line: string) => void
  http?: HttpBounds
  /** Serves wss (default: ws). */
  tls?: TlsIdentity
  /** Timer of the heartbeat. */
  every?: Every
  /** Observer of client actions (default: none). */
  observing?: Observing & { credentials: Credentials; secretInUrl(url: string): string | null }
  /** Writes to the journal. */
  record?: ActivityJournal['record']
}

const STRAIGHT: Wiring = { wire: (_id, wired) => wired, attend: (connection) => connection }

/** Follows the world's updates from its creation, before it listens. */
export function createGateway(options: GatewayOptions): Gateway {
  const { world, auth, clock, choices, sync = () => {}, log = () => {}, record = () => 0 } = options
  const { nodes = 1, http = HTTP_BOUNDS, every = everyRealMs, faults = NO_FAULTS, observing = null } = options
  const { limits = STATED_LIMITS, wiring = STRAIGHT, socketsMax = Number.POSITIVE_INFINITY } = options
  let url = ''
  const rooms = createRooms<Connection>()
  const connections = new Map<number, Connection>()
  const faulty = createFaultySockets(connections, clock)
  const closing = new Set<Promise<unknown>>()
  let nextId = 1
  const chooseNode = (id: number) => ((id - 1) % nodes) + 1
  let droppedBefore = 0
  const fanOut = limitFanOut(options.fanOutRate, chooseNode)
  const publisher = createPublisher({ views: world.views, rooms, clock, choices, faults, fanOut })

  const enter = ({ socket, stream, known, handshake, userAgent, remoteAddress, arrivedMs, url }: Guest) => {
    sync()
    const id = nextId++
    log(`socket ${id} opened`)
    const report = createSocketReporter({
      id,
      seat: { remoteAddress, userAgent },
      arrivedMs,
      secretInUrl: observing?.secretInUrl(url) ?? null,
      hasSentAll: () => stream.writableLength === 0 && !faulty.isMute(id),
      releasedMs: () => faulty.releasedMs(id),
      record,
      observing,
      choices,
    })
    const { connection, closed } = openSocket({
      id,
      node: chooseNode(id),
      userAgent,
      wired: { socket, stream, auth, clock, rooms },
      wiring,
      handshake,
      sync,
      views: world.views,
      choices,
      faults,
      limits,
      report,
      authenticated: known,
      released() {
        if (connections.delete(id)) droppedBefore += connection.outbox.droppedEvents()
      },
    })
    connections.set(id, connection)
    const ended = closed.then((code) => {
      faulty.gone(id)
      log(`socket ${id} closed ${code}`)
      closing.delete(ended)
    })
    closing.add(ended)
  }

  const rejected = ({ arrivedMs, remoteAddress, userAgent, ...upgrade }: FailedUpgrade) => {
    const { outcome, status, code, retryAfterMs } = upgrade
    const seat = { remoteAddress, userAgent }
    const entry = record({
      kind: 'upgrade',
      outcome,
      ...(status !== null && { status }),
      ...(code !== null && { code }),
      ...(retryAfterMs !== null && { retryAfterMs }),
      ...(observing && { client: observing.observer.clientName(seat) }),
    })
    const endedMs = clock.nowMs()
    observing?.observer.rejected({ ...seat, arrivedMs, endedMs, status, retryAfterMs, entry })
  }

  const requireResync = () => {
    for (const connection of connections.values())
      if (connection.roomCount() > 0) connection.outbox.requireResync()
  }

  const publish = (update: BlockUpdate) => {
    if (rooms.count() === 0) return
    if (update.reorged > 0) {
      fanOut?.forget()
      requireResync()
    }
    publisher.publish(update)
  }

  const end = (node?: number): number => {
    const all = [...connections.values()]
    const ending = node === undefined ? all : all.filter(({ id }) => chooseNode(id) === node)
    for (const connection of ending) connection.end(RESTART)
    return ending.length
  }

  const { server, shut } = createEntrance({
    clock,
    choices,
    http,
    tls: options.tls,
    frameBytesMax: limits.frameBytes,
    faults,
    sync,
    isFull: () => connections.size >= socketsMax,
    enter,
    rejected,
  })
  // Later errors are failed accepts (too many open files), which affect only that connection.
  server.on('error', (error) => log(`feed listener: ${error.message}`))
  const stopBeating = every(choices.feed.pingEveryMs, () => {
    for (const connection of connections.values()) connection.beat()
  })
  const stopListening = world.onBlock(publish)

  const shownAddress = (address: string | null) => address && choices.wire.address.encode(address)

  return {
    async listen({ host, port }) {
      server.listen({ host, port })
      await once(server, 'listening') // rejects on 'error'
      const { port: taken } = server.address() as AddressInfo // as: it listens on a port, not on a pipe
      url = `ws${options.tls ? 's' : ''}://${hostInUrl(host)}:${taken}`
      return taken
    },
    accept: (stream) => void server.emit('connection', stream),
    url: () => url,
    nodes,
    restart: end,
    requireResync() {
      publisher.forget()
      requireResync()
    },
    faulty,
    sockets: () =>
      [...connections.values()].map(({ id, address, roomCount, outbox }) => ({
        id,
        node: chooseNode(id),
        address: shownAddress(address()),
        rooms: roomCount(),
        droppedEvents: outbox.droppedEvents(),
      })),
    events() {
      const dropped = [...connections.values()].reduce(
        (sum, { outbox }) => sum + outbox.droppedEvents(),
        droppedBefore,
      )
      return {
        sent: publisher.offered() - dropped,
        dropped: dropped + (fanOut?.events().discarded ?? 0),
      }
    },
    closeSocket(id, close) {
      const connection = connections.get(id)
      connection?.end(close)
      return connection !== undefined
    },
    async close() {
      stopListening()
      stopBeating()
      shut()
      publisher.forget()
      fanOut?.close()
      end()
      faulty.cutMute()
      await Promise.all(closing)
      if (!server.listening) return
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}

function limitFanOut(perSecond: number | undefined, chooseNode: (id: number) => number): FanOut | null {
  return perSecond === undefined ? null : createFanOut({ perSecond, chooseNode, time: realTimer })
}

const NO_FAULTS = { hooks: NO_HOOKS }

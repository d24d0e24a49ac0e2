/**
 * The live feed of the stub exchange: a WebSocket server on a listener of its own. Authenticates sockets by ticket,
 * keeps rooms and limits, and sends what each indexed block changed. What the specification leaves open is decided in
 * choices/.
 */
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { hostInUrl } from '../../contract/addresses.ts'
import type { ActivityJournal } from '../activity-journal.ts'
import type { Auth } from '../auth/auth.ts'
import type { Choices } from '../choices/choices.ts'
import type { Close } from '../choices/feed-choices.ts'
import type { Clock } from '../clock.ts'
import { type Faults, NO_SEAMS } from '../faults/faults.ts'
import type { FaultyFeed } from '../faults/seams.ts'
import { HTTP_BOUNDS, type HttpBounds, type TlsIdentity } from '../http/listener.ts'
import type { BlockUpdate, Views } from '../indexer/views/views.ts'
import type { Observing } from '../observer/observing.ts'
import { STATED_LIMITS, type StubLimits } from '../stub-limits.ts'
import { RESTART } from './feed-protocol.ts'
import { createPublisher } from './publisher.ts'
import { createRooms } from './rooms.ts'
import type { Connection } from './socket/connection.ts'
import { createEntrance, type Guest } from './socket/entrance.ts'
import { type Every, everyRealMs } from './socket/heartbeat.ts'
import { createFaultySockets, openSocket, type Wiring } from './socket/open-socket.ts'
import { type Credentials, createTellSocket } from './socket/tell-socket.ts'

export type SocketInfo = {
  id: number
  /** Which of the nodes serves it, from 1. */
  node: number
  /** The wallet of its ticket; null until authenticated. */
  address: string | null
  rooms: number
  /** Because its peer did not keep up. */
  droppedEvents: number
}

export type Gateway = {
  /** Returns the port; rejects with the system's error where it cannot be had. */
  listen(options: { host: string; port: number }): Promise<number>
  /** Without a path; empty until it listens. */
  url(): string
  /** How many nodes share the sockets out among them. */
  nodes: number
  /** As a deployment does: closes the sockets of a node with 1012, by default of all, goes on listening. Returns how many. */
  restart(node?: number): number
  /**
   * What was sent holds no more: tells everybody who is in a room to refetch, as the specification has no event for it.
   */
  requireResync(): void
  /** Those that are open; one that is closing counts no more. */
  sockets(): readonly SocketInfo[]
  /** Since the gateway began: each event counts once for each socket. */
  events(): { sent: number; dropped: number }
  /** What faults may do to the sockets. */
  faulty: FaultyFeed
  /** Starts the closing handshake of one; false where none is open by that number. */
  closeSocket(id: number, close: Close): boolean
  /** Ends every socket with 1012, cuts those that do not answer in time, and stops listening. */
  close(): Promise<void>
}

export type GatewayOptions = {
  /** The world, as far as the feed is concerned. */
  world: {
    views: Pick<Views, 'pool' | 'poolStats'>
    onBlock(listener: (update: BlockUpdate) => void): () => void
  }
  auth: Pick<Auth, 'redeemTicket'>
  clock: Clock
  choices: Choices
  limits?: StubLimits
  /** Behind the one address; connections go to them in turn. Tickets, rooms and limits do not depend on the node. 1 by default. */
  nodes?: number
  /** Nothing stands between the gateway and its sockets if it is left out. */
  wiring?: Wiring | undefined
  /** Those in force; none where it is left out. */
  faults?: Pick<Faults, 'seams'>
  /** Brings the clock up to date; called before a connection or a frame is dealt with. */
  sync?: () => void
  /** One line for each socket opened and closed, without secrets. */
  log?: (line: string) => void
  http?: HttpBounds
  /** Then it speaks wss; ws if left out. */
  tls?: TlsIdentity
  /** What the heart beats by. */
  every?: Every
  /** Who is told of what clients do; nobody where it is left out. */
  observing?: Observing & { credentials: Credentials; secretInUrl(url: string): string | null }
  /** The same for the journal. */
  record?: ActivityJournal['record']
}

const STRAIGHT: Wiring = { wire: (_id, wired) => wired, attend: (connection) => connection }

/** A gateway that does not listen yet. It follows the world's updates from here on. */
export function createGateway(options: GatewayOptions): Gateway {
  const { world, auth, clock, choices, sync = () => {}, log = () => {}, record = () => 0 } = options
  const { nodes = 1, http = HTTP_BOUNDS, every = everyRealMs, faults = NO_FAULTS, observing = null } = options
  const { limits = STATED_LIMITS, wiring = STRAIGHT } = options
  let url = ''
  const rooms = createRooms<Connection>()
  const connections = new Map<number, Connection>()
  const faulty = createFaultySockets(connections)
  const closing = new Set<Promise<unknown>>()
  let nextId = 1
  const nodeOf = (id: number) => ((id - 1) % nodes) + 1
  let droppedBefore = 0
  const publisher = createPublisher({ views: world.views, rooms, clock, choices, faults })

  const enter = ({ socket, stream, known, authorization, userAgent, remoteAddress, url }: Guest) => {
    sync()
    const id = nextId++
    log(`socket ${id} opened`)
    const tell = createTellSocket({
      id,
      seat: { remoteAddress, userAgent },
      secretInUrl: observing?.secretInUrl(url) ?? null,
      hasSentAll: () => stream.writableLength === 0,
      record,
      observing,
      choices,
    })
    const { connection, closed } = openSocket({
      id,
      node: nodeOf(id),
      userAgent,
      wired: { socket, stream, auth, clock, rooms },
      wiring,
      authorization,
      sync,
      views: world.views,
      choices,
      faults,
      limits,
      tell,
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

  const requireResync = () => {
    for (const connection of connections.values())
      if (connection.roomCount() > 0) connection.outbox.requireResync()
  }

  const publish = (update: BlockUpdate) => {
    if (rooms.count() === 0) return
    if (update.reorged > 0) requireResync()
    publisher.publish(update)
  }

  const end = (node?: number): number => {
    const all = [...connections.values()]
    const ending = node === undefined ? all : all.filter(({ id }) => nodeOf(id) === node)
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
    enter,
  })
  // Later errors are failed accepts (too many open files): they cost that connection, not the server.
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
        node: nodeOf(id),
        address: shownAddress(address()),
        rooms: roomCount(),
        droppedEvents: outbox.droppedEvents(),
      })),
    events() {
      const dropped = [...connections.values()].reduce(
        (sum, { outbox }) => sum + outbox.droppedEvents(),
        droppedBefore,
      )
      return { sent: publisher.offered() - dropped, dropped }
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

const NO_FAULTS = { seams: NO_SEAMS }

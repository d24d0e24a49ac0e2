import type { Duplex } from 'node:stream'
import type { WebSocket } from 'ws'
import type { Clock } from '../../clock.ts'
import type { FaultyFeed } from '../../faults/hooks.ts'
import { type Connection, type ConnectionOptions, createConnection } from './connection.ts'
import type { OutboxStream } from './outbox.ts'
import type { SocketReporter } from './socket-reporter.ts'

/**
 * Connects a socket of the feed to its connection. Incoming frames update the clock, then pass the deviations and the
 * limits of the connection. Outgoing messages pass the faults and buffer limits (publisher.ts for events, outbox.ts for
 * controls), the deviations, and the record of what was sent.
 */
export function openSocket(
  options: Omit<ConnectionOptions, keyof Wired | 'silence'> & {
    wired: Omit<Wired, 'stream'> & { socket: WebSocket; stream: Duplex }
    wiring: Wiring
    handshake: Handshake
    sync: () => void
  },
): { connection: Connection; closed: Promise<number> } {
  const { wired, wiring, handshake, sync, report, id } = options
  const stream = recordSent(wired.stream, report)
  const connection = createConnection({
    ...options,
    ...wiring.wire(id, { ...wired, stream }, handshake),
    silence: stream.silence,
  })
  const attended = wiring.attend(connection)
  return { connection, closed: attendSocket({ socket: wired.socket, connection: attended, sync, report }) }
}

/** Parts of a connection that deviations may wrap. */
export type Wired = Pick<ConnectionOptions, 'socket' | 'stream' | 'auth' | 'clock' | 'rooms'>

/** Headers of the upgrade that may hold credentials. */
export type Handshake = { authorization: string | undefined; cookie: string | undefined }

/** Deviations between the gateway and its sockets. */
export type Wiring = {
  /** Wraps the parts that a connection is created with. */
  wire(id: number, wired: Wired, handshake: Handshake): Wired
  attend(connection: Connection): Connection
}

/** The last step before the wire. */
function recordSent(
  stream: Duplex,
  report: Pick<SocketReporter, 'control' | 'revision'>,
): OutboxStream & { silence(): void } {
  let isSilent = false
  return {
    get writableLength() {
      return stream.writableLength
    },
    cork: () => stream.cork(),
    uncork: () => stream.uncork(),
    once: (event, drained) => stream.once(event, drained),
    write(frame) {
      stream.write(frame)
      if (isSilent) return
      if (frame.control !== undefined) report.control(frame.control)
      if (frame.revision !== undefined) report.revision(frame.revision)
    },
    silence() {
      isSilent = true
      // The library writes to the same stream.
      stream.write = () => true
    },
  }
}

/** Resolves with the close code. */
function attendSocket(options: {
  socket: WebSocket
  connection: Connection
  sync: () => void
  report: SocketReporter
}): Promise<number> {
  const { socket, connection, sync, report } = options
  socket.on('message', (data, binary) => {
    sync()
    // as: with the default binaryType, every message is one Buffer
    connection.receive(data as Buffer, { binary })
  })
  socket.on('ping', (bytes) => {
    sync()
    connection.receivePing(bytes)
  })
  socket.on('pong', () => {
    sync()
    connection.receivePong()
  })
  // The library closes broken frames with the right code (1002, 1007, 1009).
  socket.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'WS_ERR_UNSUPPORTED_MESSAGE_LENGTH') report.frame('too large')
    if (error.code === 'WS_ERR_INVALID_UTF8') report.frame('invalid')
    connection.release()
  })
  return new Promise((resolve) => {
    socket.once('close', (code) => {
      connection.release()
      report.closed(code)
      resolve(code)
    })
  })
}

/** Actions of faults on open sockets. */
type FaultySockets = FaultyFeed & {
  /** True if nothing reaches the peer any more. */
  isMute(id: number): boolean
  /** When a fault last released output that it had held back; minus infinity without one. */
  releasedMs(id: number): number
  /** The peer has closed the socket too. */
  gone(id: number): void
  /** Cuts muted sockets, which would stay open for their peers. */
  cutMute(): void
}

export function createFaultySockets(
  connections: ReadonlyMap<number, Connection>,
  clock: Pick<Clock, 'nowMs'>,
): FaultySockets {
  /** Open for their peers, even if they have ended here. */
  const mute = new Map<number, Connection>()
  const released = new Map<number, number>()

  return {
    sockets: () => [...connections.values()].map(({ context }) => context()),
    close: (id, close) => connections.get(id)?.end(close),
    cut: (id) => (connections.get(id) ?? mute.get(id))?.cut(),
    mute(id) {
      const connection = connections.get(id)
      if (!connection) return
      mute.set(id, connection)
      connection.mute()
    },
    stall(id) {
      const outbox = connections.get(id)?.outbox
      outbox?.cork()
      return () => {
        outbox?.uncork()
        if (connections.has(id)) released.set(id, clock.nowMs())
      }
    },
    sendControl: (id, control) => connections.get(id)?.outbox.sendControl(control),
    isMute: (id) => mute.has(id),
    releasedMs: (id) => released.get(id) ?? Number.NEGATIVE_INFINITY,
    gone(id) {
      mute.delete(id)
      released.delete(id)
    },
    cutMute() {
      for (const connection of mute.values()) connection.cut()
    },
  }
}

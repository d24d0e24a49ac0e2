import type { Duplex } from 'node:stream'
import type { WebSocket } from 'ws'
import type { FaultyFeed } from '../../faults/seams.ts'
import { type Connection, type ConnectionOptions, createConnection } from './connection.ts'
import type { OutboxStream } from './outbox.ts'
import type { TellSocket } from './tell-socket.ts'

/**
 * One socket of the feed, between the wire and its connection. A frame comes in by way of the clock, which it brings up to date,
 * the deviations, and the connection with its limits. A message goes out by way of the faults and bounds (publisher.ts for events,
 * outbox.ts for controls), the deviations, and the record of what has really gone out.
 */
export function openSocket(
  options: Omit<ConnectionOptions, keyof Wired | 'silence'> & {
    wired: Omit<Wired, 'stream'> & { socket: WebSocket; stream: Duplex }
    wiring: Wiring
    authorization: string | undefined
    sync: () => void
  },
): { connection: Connection; closed: Promise<number> } {
  const { wired, wiring, authorization, sync, tell, id } = options
  const stream = recordSent(wired.stream, tell)
  const connection = createConnection({
    ...options,
    ...wiring.wire(id, { ...wired, stream }, { authorization }),
    silence: stream.silence,
  })
  const attended = wiring.attend(connection)
  return { connection, closed: attendSocket({ socket: wired.socket, connection: attended, sync, tell }) }
}

/** What a connection is made with, as far as deviations may wrap it. */
export type Wired = Pick<ConnectionOptions, 'socket' | 'stream' | 'auth' | 'clock' | 'rooms'>

/** What stands between the gateway and each of its sockets. */
export type Wiring = {
  /** What the connection of that number is made with. */
  wire(id: number, wired: Wired, handshake: { authorization: string | undefined }): Wired
  /** What its socket is attended with. */
  attend(connection: Connection): Connection
}

/** The end of the way out. */
function recordSent(
  stream: Duplex,
  tell: Pick<TellSocket, 'control' | 'revision'>,
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
      if (frame.control !== undefined) tell.control(frame.control)
      if (frame.revision !== undefined) tell.revision(frame.revision)
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
  tell: TellSocket
}): Promise<number> {
  const { socket, connection, sync, tell } = options
  socket.on('message', (data, binary) => {
    sync()
    // as: binaryType is left at its default, with which every message comes as one Buffer
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
  // Broken frames: the library closes with the right code (1002, 1007, 1009); nothing else is to be done.
  socket.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'WS_ERR_UNSUPPORTED_MESSAGE_LENGTH') tell.frame('too large')
    connection.release()
  })
  return new Promise((resolve) => {
    socket.once('close', (code) => {
      connection.release()
      tell.closed(code)
      resolve(code)
    })
  })
}

/** What faults may do to open sockets in their own time. */
type FaultySockets = FaultyFeed & {
  /** The socket is closed for its peer too. */
  gone(id: number): void
  /** Those that would stay open for their peers. */
  cutMute(): void
}

/** What faults do to the sockets that are open, by their numbers. */
export function createFaultySockets(connections: ReadonlyMap<number, Connection>): FaultySockets {
  /** Open for their peers, even where they have ended here. */
  const mute = new Map<number, Connection>()

  return {
    sockets: () => [...connections.values()].map(({ seen }) => seen()),
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
      return () => outbox?.uncork()
    },
    sendControl: (id, control) => connections.get(id)?.outbox.sendControl(control),
    gone: (id) => void mute.delete(id),
    cutMute() {
      for (const connection of mute.values()) connection.cut()
    },
  }
}

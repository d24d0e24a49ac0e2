import type { WebSocket } from 'ws'
import type { FaultyFeed } from '../../faults/seams.ts'
import type { Connection } from './connection.ts'
import type { TellSocket } from './tell-socket.ts'

/** Hands what comes from a socket to its connection, with the clock up to date. Resolves with the close code. */
export function attendSocket(options: {
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

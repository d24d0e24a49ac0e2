import type { FaultyFeed } from '../faults/feed-seams.ts'
import type { Connection } from './socket/connection.ts'

/** What faults may do to open sockets in their own time. */
export type FaultySockets = FaultyFeed & {
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

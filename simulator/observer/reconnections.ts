import type { Client } from './client.ts'
import type { ObservedSocket } from './observed.ts'
import type { RuleTools, Watch } from './observer-rule.ts'
import { ofEach } from './of-each.ts'

/** A socket in place of one that the exchange had closed. */
export type Reconnection = {
  socket: ObservedSocket
  lost: Lost
  /** Whether it is the client’s one socket, and the lost one was. */
  isSole: boolean
}

export type Lost = {
  atMs: number
  /** The journal entry of its end: what has a higher number came later. */
  entry: number
  rooms: ReadonlySet<string>
  entries: readonly number[]
}

/** A client that has not come back by then has gone. */
const BACK_MS = 60_000
/** For what is due after a reconnect. */
export const RESTORE_MS = 30_000
const LOST_MAX = 50

type Losses = { open: (Lost & { seat: string; wasSole: boolean })[] }

/**
 * Has each reconnection judged `RESTORE_MS` after its authentication, if its socket is still open then. A socket that the
 * client closed itself is no loss: it may have ended.
 */
export function watchReconnections(
  tools: RuleTools,
  judge: (reconnection: Reconnection) => void,
): Required<Pick<Watch, 'frame' | 'closed'>> {
  const lossesOf = ofEach<Client, Losses>(() => ({ open: [] }))
  const inPlaceOf = new WeakMap<ObservedSocket, Losses['open'][number]>()

  return {
    frame(socket, frame) {
      if (frame.action !== 'authenticate' || frame.outcome !== 'authenticated') return
      const { client } = socket
      const losses = lossesOf(client)
      losses.open = losses.open.filter(({ atMs }) => tools.nowMs() - atMs <= BACK_MS)
      const at = losses.open.findIndex(({ seat }) => seat === seatOf(socket))
      const [lost] = at === -1 ? [] : losses.open.splice(at, 1)
      if (!lost) return
      tools.saw()
      inPlaceOf.set(socket, lost)
      tools.after(client, RESTORE_MS, () => {
        inPlaceOf.delete(socket)
        const isSole = lost.wasSole && client.openSockets === 1 && losses.open.length === 0
        if (socket.isOpen) judge({ socket, lost, isSole })
      })
    },
    closed(socket, { by, entry }) {
      const before = inPlaceOf.get(socket)
      inPlaceOf.delete(socket)
      if (by === 'client' || socket.authenticatedMs === null) return
      const rooms = new Set([...(before?.rooms ?? []), ...socket.rooms])
      if (rooms.size === 0) return
      const losses = lossesOf(socket.client)
      losses.open.push({
        atMs: tools.nowMs(),
        entry,
        rooms,
        entries: [...socket.entries, entry],
        seat: seatOf(socket),
        wasSole: socket.client.openSockets === 0,
      })
      if (losses.open.length > LOST_MAX) losses.open.shift()
    },
  }
}

function seatOf({ remoteAddress, userAgent }: ObservedSocket): string {
  return `${remoteAddress} ${userAgent}`
}

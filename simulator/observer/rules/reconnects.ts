import type { Client } from '../client.ts'
import type { ObservedSocket } from '../observed.ts'
import { BoundedMap, type ObserverRule, ofEach, type RuleTools, type Watch } from '../observer-rule.ts'

const ROOMS_MAX = 500

export const reconnectResubscribes: ObserverRule = {
  id: 'client.reconnect.resubscribes',
  advice: 'Keep the list of rooms, and subscribe to every one of them on the new socket.',
  watch(tools) {
    /** Journal entry of the last subscribe frame for each room. */
    const getAsked = ofEach<Client, BoundedMap<string, number>>(() => new BoundedMap(ROOMS_MAX))
    const { frame, closed } = watchReconnections(tools, ({ socket, lost, isSole }) => {
      const requested = getAsked(socket.client)
      const missing = [...lost.rooms].filter((room) => (requested.get(room) ?? 0) < lost.entry)
      const none = missing.length === lost.rooms.size && socket.rooms.size === 0
      if (missing.length > 0 && !(none || isSole)) return
      tools.countCase()
      if (missing.length === 0) return
      tools.report(socket.client, {
        observed: `socket ${socket.number} replaced a lost one ${RESTORE_MS / 1000} s ago, but ${missing.length} of its ${lost.rooms.size} rooms were not subscribed to again: ${missing.slice(0, 3).join(', ')}`,
        evidence: [...lost.entries, ...socket.entries],
      })
    })
    return {
      frame(socket, news) {
        if (news.action === 'subscribe') getAsked(socket.client).set(news.room, news.entry)
        frame(socket, news)
      },
      closed,
    }
  },
}

/** Rooms that are joined this soon after `synchronized` belong to the same reconnect. */
const SAME_RECONNECT_MS = 1000

type Synchronization = {
  entry: number
  /** When `synchronized` was sent. */
  sentMs: number
  /** Rooms that were joined too late for it. */
  late: string[]
}

export const reconnectSynchronizes: ObserverRule = {
  id: 'client.reconnect.synchronizes',
  advice: 'Send synchronize after joining all rooms again, and wait for the control `synchronized`.',
  watch(tools) {
    const getEntry = ofEach<Client, { last: number }>(() => ({ last: 0 }))
    const bySocket = new WeakMap<ObservedSocket, Synchronization>()
    const { frame, closed } = watchReconnections(tools, ({ socket, lost }) => {
      if (socket.rooms.size === 0) return
      tools.countCase()
      const last = bySocket.get(socket)
      const late = new Set(last?.late.filter((room) => lost.rooms.has(room)))
      const isMissing = getEntry(socket.client).last <= lost.entry
      if (!isMissing && late.size === 0) return
      const replaced = `socket ${socket.number} replaced a lost one ${RESTORE_MS / 1000} s ago, but`
      tools.report(socket.client, {
        observed: isMissing
          ? `${replaced} has not sent synchronize`
          : `${replaced} joined ${late.size} of its rooms after synchronize: ${[...late].slice(0, 3).join(', ')}`,
        evidence: [...lost.entries, ...socket.entries, ...(last ? [last.entry] : [])],
      })
    })
    return {
      frame(socket, news) {
        const last = bySocket.get(socket)
        if (news.action === 'synchronize') {
          getEntry(socket.client).last = news.entry
          bySocket.set(socket, { entry: news.entry, sentMs: Number.POSITIVE_INFINITY, late: [] })
        }
        if (news.action === 'subscribe' && last && tools.nowMs() - last.sentMs <= SAME_RECONNECT_MS)
          last.late.push(news.room)
        frame(socket, news)
      },
      sent(socket, message) {
        const last = bySocket.get(socket)
        if (last && 'control' in message && message.control === 'synchronized')
          last.sentMs = Math.min(last.sentMs, tools.nowMs())
      },
      closed,
    }
  },
}

/** A socket that replaces one closed by the exchange. */
type Reconnection = {
  socket: ObservedSocket
  lost: Lost
  /** True if it is the client’s only socket, and the lost one was too. */
  isSole: boolean
}

type Lost = {
  atMs: number
  /** Journal entry of its end: higher numbers came later. */
  entry: number
  rooms: ReadonlySet<string>
  /** Earlier reads do not show that the client keeps the data. */
  keptSinceMs: number
  entries: readonly number[]
}

/** A client that has not reconnected by then is gone. */
const BACK_MS = 60_000
/** Time allowed for the steps after a reconnect. */
const RESTORE_MS = 30_000
const LOST_MAX = 50
/** Clients load their data, then open the socket. */
export const LOADED_BEFORE_MS = 60_000

type Losses = { open: (Lost & { seat: string; wasSole: boolean })[] }

/**
 * Checks each reconnection `RESTORE_MS` after its authentication, if its socket is still open. A socket that the client
 * closed itself is not lost: the client may have exited.
 */
export function watchReconnections(
  tools: RuleTools,
  judge: (reconnection: Reconnection) => void = () => {},
): Required<Pick<Watch, 'frame' | 'closed'>> & { lostBefore(socket: ObservedSocket): Lost | undefined } {
  const getLosses = ofEach<Client, Losses>(() => ({ open: [] }))
  const lostBefore = new WeakMap<ObservedSocket, Lost>()
  /** For sockets that may not be restored yet: the ones that they replace. */
  const replacedBy = new WeakMap<ObservedSocket, Losses['open'][number]>()

  return {
    lostBefore: (socket) => lostBefore.get(socket),
    frame(socket, frame) {
      if (frame.action !== 'authenticate' || frame.outcome !== 'authenticated') return
      const { client } = socket
      const losses = getLosses(client)
      losses.open = losses.open.filter(({ atMs }) => tools.nowMs() - atMs <= BACK_MS)
      const at = losses.open.findIndex(({ seat }) => seat === getSeat(socket))
      const [lost] = at === -1 ? [] : losses.open.splice(at, 1)
      if (!lost) return
      lostBefore.set(socket, lost)
      replacedBy.set(socket, lost)
      tools.after(client, RESTORE_MS, () => {
        replacedBy.delete(socket)
        const isSole = lost.wasSole && client.openSockets === 1 && losses.open.length === 0
        if (socket.isOpen) judge({ socket, lost, isSole })
      })
    },
    closed(socket, { by, entry }) {
      const before = replacedBy.get(socket)
      replacedBy.delete(socket)
      if (by === 'client' || socket.authenticatedMs === null) return
      const rooms = new Set([...(before?.rooms ?? []), ...socket.rooms])
      if (rooms.size === 0) return
      const losses = getLosses(socket.client)
      losses.open.push({
        atMs: tools.nowMs(),
        entry,
        rooms,
        keptSinceMs: Math.min(before?.keptSinceMs ?? socket.openedMs, socket.openedMs - LOADED_BEFORE_MS),
        entries: [...socket.entries, entry],
        seat: getSeat(socket),
        wasSole: socket.client.openSockets === 0,
      })
      if (losses.open.length > LOST_MAX) losses.open.shift()
    },
  }
}

export type Program = Pick<ObservedSocket, 'remoteAddress' | 'userAgent'>

export function getSeat({ remoteAddress, userAgent }: Program): string {
  return `${remoteAddress} ${userAgent}`
}

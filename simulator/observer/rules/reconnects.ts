import type { Client } from '../client.ts'
import type { ObservedSocket } from '../observed.ts'
import { BoundedMap, type ObserverRule, ofEach, type RuleTools, type Watch } from '../observer-rule.ts'
import { areSteady, WAITS_MIN, waitsText } from './retries.ts'

const SEATS_MAX = 500

type Seat = {
  open: number
  ended: { atMs: number; entry: number } | null
  /** Sockets in a row that failed, up to the last one. */
  failures: number
  /** Since the last socket that did not fail; 0 if none is known: the waits may have grown before. */
  shortestMs: number
  reconnects: Reconnect[]
}

type Program = Pick<ObservedSocket, 'remoteAddress' | 'userAgent'>

type Reconnect = {
  waitMs: number
  failures: number
  /** True if it is more than twice an earlier wait of the same failures. */
  hasGrown: boolean
  entries: readonly number[]
}

/** A socket that ends this soon has failed, even if it was authenticated: open, close, open, close is a loop too. */
const SERVED_MS = 1000
const RECONNECTS_MAX = 64

/**
 * Checked per program at an address that has one socket at a time: with several, it is unknown which one reconnected.
 */
export const reconnectBacksOff: ObserverRule = {
  id: 'client.reconnect.backs-off',
  advice:
    'Wait before each reconnect: a random time below a limit that doubles with each failure, up to half a minute.',
  watch({ nowMs, begin, handled, report }) {
    const seats = new BoundedMap<string, Seat>(SEATS_MAX)
    const getProgram = (program: Program): Seat => {
      const key = getSeat(program)
      const seat = seats.get(key) ?? { open: 0, ended: null, failures: 0, shortestMs: 0, reconnects: [] }
      seats.set(key, seat)
      return seat
    }
    const forget = (seat: Seat) => {
      seat.ended = null
      seat.failures = 0
      seat.reconnects = []
    }
    const judge = (seat: Seat, attempt: { client: Client; atMs: number; entries: readonly number[] }) => {
      const { ended, failures } = seat
      if (ended === null) return
      const waitMs = attempt.atMs - ended.atMs
      seat.shortestMs = failures === 0 ? waitMs : Math.min(seat.shortestMs, waitMs)
      const hasGrown = waitMs > 2 * seat.shortestMs
      const entries = [ended.entry, ...attempt.entries]
      seat.reconnects = [...seat.reconnects, { waitMs, failures, hasGrown, entries }].slice(-RECONNECTS_MAX)
      if (seat.reconnects.length < WAITS_MIN) return
      begin()
      if (hasBackoff(seat.reconnects.slice(-WAITS_MIN))) handled()
      const found = findWithoutBackoff(seat.reconnects)
      if (found.length === 0) return
      const waitsMs = found.map((reconnect) => reconnect.waitMs)
      const text =
        waitsMs.length > WAITS_SHOWN_MAX
          ? `${Math.round(Math.min(...waitsMs))} to ${waitsText([Math.max(...waitsMs)])}`
          : waitsText(waitsMs)
      report(attempt.client, {
        observed: `${found.length} reconnects in a row, each after ${text}`,
        evidence: found.flatMap((reconnect) => reconnect.entries),
      })
      forget(seat)
    }
    return {
      opened(socket) {
        const seat = getProgram(socket)
        seat.open++
        if (seat.open > 1) return forget(seat)
        judge(seat, { client: socket.client, atMs: nowMs(), entries: socket.entries })
      },
      rejected(upgrade) {
        const seat = getProgram(upgrade)
        const { client, arrivedMs, endedMs, retryAfterMs, entry } = upgrade
        // With several sockets, it is unknown what it is for; and a wait that is required has no jitter.
        if (seat.open > 0 || retryAfterMs !== null) return forget(seat)
        judge(seat, { client, atMs: arrivedMs, entries: [entry] })
        seat.failures++
        seat.ended = { atMs: endedMs, entry }
      },
      closed(socket, { by, entry }) {
        const seat = getProgram(socket)
        seat.open--
        if (by === 'client' || seat.open > 0) return forget(seat)
        const hasFailed = socket.authenticatedMs === null || nowMs() - socket.openedMs < SERVED_MS
        seat.failures = hasFailed ? seat.failures + 1 : 0
        seat.ended = { atMs: nowMs(), entry }
      },
    }
  },
}

const WAITS_SHOWN_MAX = 10
/**
 * Chance at which the least patient correct client would wait like this. Each reconnect is checked with every number of the
 * reconnects before it, at most 61, so the chance of a false report is below 61e-6 for each reconnect of that client, and far
 * less for one that starts above 100 ms or backs off further.
 */
const CHANCE_MAX = 1e-6
/** The fastest backoff that counts as correct: full jitter below 100 ms, which doubles with each failure up to 500 ms. */
const FASTEST = { firstMs: 100, capMs: 500 }
/** The chance that backoff with decorrelated jitter repeats its longest wait. */
const STAYS_AT_CAP = 2 / 3

/** The last reconnects in a row that no correct client makes: with waits that stay short, or that are practically equal. */
function findWithoutBackoff(reconnects: readonly Reconnect[]): readonly Reconnect[] {
  for (let count = WAITS_MIN; count <= reconnects.length; count++) {
    const last = reconnects.slice(-count)
    if (Math.min(chanceOfShort(last), chanceOfEqual(last)) <= CHANCE_MAX) return last
  }
  return []
}

/** True if the waits differ, and not all of them are short. */
function hasBackoff(reconnects: readonly Reconnect[]): boolean {
  return Math.min(chanceOfShort(reconnects), chanceOfEqual(reconnects)) === 1
}

/** The chance that the fastest backoff has no longer wait: others have longer ones. */
function chanceOfShort(reconnects: readonly Reconnect[]): number {
  const longestMs = Math.max(1, ...reconnects.map(({ waitMs }) => waitMs))
  // Slower, it could be a backoff that takes each authenticated socket for a success.
  if (longestMs > FASTEST.firstMs) return 1
  return reconnects.reduce((chance, { failures }) => {
    const limitMs = Math.min(FASTEST.capMs, FASTEST.firstMs * 2 ** failures)
    return chance * Math.min(1, longestMs / limitMs)
  }, 1)
}

/** The chance of practically equal waits with a jitter of ten percent each way: others are further apart. */
function chanceOfEqual(reconnects: readonly Reconnect[]): number {
  const waitsMs = reconnects.map(({ waitMs }) => waitMs)
  if (!areSteady(waitsMs)) return 1
  const longestMs = Math.max(1, ...waitsMs)
  const closeness = Math.max(1, longestMs - Math.min(...waitsMs)) / (0.2 * longestMs)
  const share = reconnects.some(({ hasGrown }) => hasGrown) ? Math.max(closeness, STAYS_AT_CAP) : closeness
  return waitsMs.length * share ** (waitsMs.length - 1)
}

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

function getSeat({ remoteAddress, userAgent }: Program): string {
  return `${remoteAddress} ${userAgent}`
}

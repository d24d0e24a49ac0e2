import type { Client } from '../client.ts'
import { BoundedMap, type ObserverRule } from '../observer-rule.ts'
import { getSeat, type Program } from './reconnects.ts'
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
      // The client had given up the earlier one at an unknown time.
      if (waitMs < 0) return forget(seat)
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
        judge(seat, { client: socket.client, atMs: socket.arrivedMs, entries: socket.entries })
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

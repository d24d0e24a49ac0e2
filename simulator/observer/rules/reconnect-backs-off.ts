import { BoundedMap } from '../bounded-map.ts'
import type { ObserverRule } from '../observer-rule.ts'
import { areSteady, WAITS_MIN, waitsText } from '../steady-waits.ts'

const SEATS_MAX = 500

type Seat = { open: number; endedMs: number | null; waitsMs: number[]; entries: number[] }

/** Judged for each program at an address that has one socket at a time: of several nobody knows which one came back. */
export const reconnectBacksOff: ObserverRule = {
  id: 'client.reconnect.backs-off',
  advice:
    'Wait before each reconnect: a random time below a bound that doubles with each failure, up to half a minute.',
  watch({ nowMs, saw, accuse }) {
    const seats = new BoundedMap<string, Seat>(SEATS_MAX)
    const seatOf = ({ remoteAddress, userAgent }: { remoteAddress: string; userAgent: string }): Seat => {
      const key = `${remoteAddress} ${userAgent}`
      const seat = seats.get(key) ?? { open: 0, endedMs: null, waitsMs: [], entries: [] }
      seats.set(key, seat)
      return seat
    }
    const forget = (seat: Seat) => {
      seat.endedMs = null
      seat.waitsMs = []
      seat.entries = []
    }
    return {
      opened(socket) {
        const seat = seatOf(socket)
        seat.open++
        if (seat.open > 1) return forget(seat)
        if (seat.endedMs === null) return
        saw()
        seat.waitsMs = [...seat.waitsMs, nowMs() - seat.endedMs].slice(-WAITS_MIN)
        seat.entries = [...seat.entries, ...socket.entries].slice(-2 * WAITS_MIN)
        if (!areSteady(seat.waitsMs)) return
        accuse(socket.client, {
          observed: `${WAITS_MIN} reconnects in a row, each after ${waitsText(seat.waitsMs)}`,
          evidence: seat.entries,
        })
        forget(seat)
      },
      closed(socket, { by, entry }) {
        const seat = seatOf(socket)
        seat.open--
        if (by === 'client' || seat.open > 0) return forget(seat)
        seat.endedMs = nowMs()
        seat.entries.push(entry)
      },
    }
  },
}

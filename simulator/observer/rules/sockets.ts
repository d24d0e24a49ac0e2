import { LIMITS } from '../../../contract/limits.ts'
import type { Client } from '../client.ts'
import type { ObservedSocket } from '../observed.ts'
import { type ObserverRule, ofEach } from '../observer-rule.ts'

const LATER: ReadonlySet<string> = new Set(['subscribe', 'unsubscribe', 'synchronize'])

export const socketAuthenticatesFirst: ObserverRule = {
  id: 'client.socket.authenticates-first',
  advice: 'Send authenticate first, and everything else once that has succeeded.',
  watch({ saw, accuse }) {
    const begun = ofEach<ObservedSocket, { yes: boolean }>(() => ({ yes: false }))
    return {
      frame(socket, { action, entry }) {
        const state = begun(socket)
        if (state.yes) return
        if (action === 'authenticate') state.yes = true
        saw()
        if (!LATER.has(action)) return
        accuse(socket.client, {
          observed: `${action} came on socket ${socket.number} before any authenticate frame`,
          evidence: [...socket.entries, entry],
        })
      },
    }
  },
}

export const socketAuthenticatesInTime: ObserverRule = {
  id: 'client.socket.authenticates-in-time',
  advice: 'Get the ticket before opening the socket, and send authenticate as soon as it is open.',
  watch({ saw, accuse, leaptSince }) {
    const begun = ofEach<ObservedSocket, { yes: boolean }>(() => ({ yes: false }))
    return {
      frame(socket, { action }) {
        const state = begun(socket)
        if (action !== 'authenticate' || state.yes) return
        state.yes = true
        saw()
      },
      closed(socket, { cause, entry }) {
        if (cause !== 'deadlineMissed' || begun(socket).yes || leaptSince(socket.openedMs)) return
        saw()
        accuse(socket.client, {
          observed: `socket ${socket.number} sent no authenticate frame within ${LIMITS.wsAuthenticateSeconds} s`,
          evidence: [...socket.entries, entry],
        })
      },
    }
  },
}

/** The network may bring what was sent in a minute a little closer together. */
const WINDOW_MS = 58_000
const FRAMES_MAX = LIMITS.wsFramesPerMinute

export const framesBounded: ObserverRule = {
  id: 'client.frames.bounded',
  advice: 'Spread frames over time: at most 240 in any minute on one socket, renewals included.',
  watch({ nowMs, saw, accuse }) {
    /** A ring of when the last frames came. */
    const lastOf = ofEach<ObservedSocket, { atMs: number[]; count: number }>(() => ({ atMs: [], count: 0 }))
    return {
      frame(socket, { entry }) {
        saw()
        const last = lastOf(socket)
        const place = last.count++ % FRAMES_MAX
        const before = last.atMs[place]
        last.atMs[place] = nowMs()
        if (before === undefined || nowMs() - before >= WINDOW_MS) return
        last.atMs = []
        last.count = 0
        accuse(socket.client, {
          observed: `socket ${socket.number} sent ${FRAMES_MAX + 1} frames within ${Math.round(nowMs() - before)} ms`,
          evidence: [...socket.entries, entry],
        })
      },
    }
  },
}

export const framesSize: ObserverRule = {
  id: 'client.frames.size',
  advice: 'A frame holds one action and one room or ticket: send one for each.',
  watch: ({ saw, accuse }) => ({
    frame({ client, number, entries }, { action, entry }) {
      saw()
      if (action !== 'too large') return
      accuse(client, {
        observed: `socket ${number} sent a frame of more than ${LIMITS.wsFrameBytesMax} bytes`,
        evidence: [...entries, entry],
      })
    },
  }),
}

export const roomsAtMost32: ObserverRule = {
  id: 'client.rooms.at-most-32',
  advice: 'Leave rooms that are no longer needed before joining others, or open a further socket.',
  watch: ({ saw, accuse }) => ({
    frame({ client, rooms, number, entries }, frame) {
      if (frame.action !== 'subscribe') return
      saw()
      if (frame.refusal !== 'rooms_full' || rooms.size < LIMITS.wsRoomsPerConnection) return
      accuse(client, {
        observed: `socket ${number} asked for a further room while it held ${rooms.size}`,
        evidence: [...entries, frame.entry],
      })
    },
  }),
}

export const roomsOwnBalances: ObserverRule = {
  id: 'client.rooms.own-balances',
  advice: 'Subscribe to balances: with the address of the wallet whose ticket the socket has.',
  watch: ({ saw, accuse }) => ({
    frame({ client, number, entries }, frame) {
      if (frame.action !== 'subscribe' || !frame.room.startsWith('balances:')) return
      saw()
      if (frame.refusal !== 'room_forbidden') return
      accuse(client, {
        observed: `socket ${number} asked for the balance room of another address`,
        evidence: [...entries, frame.entry],
      })
    },
  }),
}

/** A socket that has been open for less may have had its time anyway. */
const AGE_MS_MIN = 1000
const RIGHT_AFTER_MS = 500
/** One such close may be chance. */
const IN_A_ROW = 2
/** RFC 6455, section 7.4.1: codes that say that something was not understood, or not allowed. */
const NOT_UNDERSTOOD: ReadonlySet<number> = new Set([1002, 1003, 1007, 1008])

/** Judged by the first injected control of each socket: the stub’s own, such as that of an error, may well end one. */
export const controlsUnknownIgnored: ObserverRule = {
  id: 'client.controls.unknown-ignored',
  advice: 'Pass over controls that are not known: new ones may come at any time.',
  watch({ nowMs, saw, accuse }) {
    const first = new WeakMap<ObservedSocket, { atMs: number; entry: number }>()
    const inARow = ofEach<Client, { entries: number[] }>(() => ({ entries: [] }))
    return {
      sent(socket, message) {
        if (!('control' in message) || !message.isInjected) return
        saw()
        if (first.has(socket)) inARow(socket.client).entries = []
        else first.set(socket, { atMs: nowMs(), entry: message.entry })
      },
      closed(socket, { by, code, entry }) {
        const control = first.get(socket)
        if (!control || by !== 'client' || socket.authenticatedMs === null) return
        const state = inARow(socket.client)
        const isRightAfter = nowMs() - control.atMs <= RIGHT_AFTER_MS
        if (!isRightAfter || control.atMs - socket.openedMs < AGE_MS_MIN) {
          state.entries = []
          return
        }
        state.entries.push(control.entry, entry)
        if (state.entries.length < 2 * IN_A_ROW && !NOT_UNDERSTOOD.has(code)) return
        accuse(socket.client, {
          observed: `the client closed socket ${socket.number} with ${code} right after a control that it does not know`,
          evidence: state.entries,
        })
        state.entries = []
      },
    }
  },
}

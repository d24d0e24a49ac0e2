import { LIMITS } from '../../../contract/limits.ts'
import type { Client } from '../client.ts'
import type { ObservedSocket } from '../observed.ts'
import { type ObserverRule, ofEach } from '../observer-rule.ts'

const LATER: ReadonlySet<string> = new Set(['subscribe', 'unsubscribe', 'synchronize'])

/** The specification does not show how a client learns that authentication has succeeded, so only the order is checked. */
export const socketAuthenticatesFirst: ObserverRule = {
  id: 'client.socket.authenticates-first',
  advice: 'Send authenticate first, and all other frames after it has succeeded.',
  watch({ countCase, report }) {
    const getState = ofEach<ObservedSocket, { hasBegun: boolean; isOver: boolean }>(() => ({
      hasBegun: false,
      isOver: false,
    }))
    return {
      frame(socket, { action, entry }) {
        const state = getState(socket)
        if (action === 'authenticate') state.hasBegun = true
        if (state.isOver || !LATER.has(action)) return
        state.isOver = state.hasBegun
        countCase()
        if (state.hasBegun) return
        report(socket.client, {
          observed: `${action} came on socket ${socket.number} before any authenticate frame`,
          evidence: [...socket.entries, entry],
        })
      },
    }
  },
}

export const socketAuthenticatesInTime: ObserverRule = {
  id: 'client.socket.authenticates-in-time',
  advice: 'Get the ticket before you open the socket, and send authenticate as soon as it is open.',
  watch({ countCase, report, leaptSince }) {
    const begun = ofEach<ObservedSocket, { yes: boolean }>(() => ({ yes: false }))
    return {
      frame(socket, { action }) {
        const state = begun(socket)
        if (action !== 'authenticate' || state.yes) return
        state.yes = true
        countCase()
      },
      closed(socket, { cause, entry }) {
        if (cause !== 'deadlineMissed' || begun(socket).yes || leaptSince(socket.openedMs)) return
        countCase()
        report(socket.client, {
          observed: `socket ${socket.number} sent no authenticate frame within ${LIMITS.wsAuthenticateSeconds} s`,
          evidence: [...socket.entries, entry],
        })
      },
    }
  },
}

/** The network may compress the frames of a minute a little. */
const WINDOW_MS = 58_000
const FRAMES_MAX = LIMITS.wsFramesPerMinute

export const framesBounded: ObserverRule = {
  id: 'client.frames.bounded',
  advice: 'Spread frames over time: at most 240 in any minute on one socket, including renewals.',
  watch({ nowMs, countCase, report }) {
    const getLast = ofEach<ObservedSocket, { atMs: number[]; count: number }>(() => ({ atMs: [], count: 0 }))
    return {
      frame(socket, { entry }) {
        countCase()
        const last = getLast(socket)
        const place = last.count++ % FRAMES_MAX
        const before = last.atMs[place]
        last.atMs[place] = nowMs()
        if (before === undefined || nowMs() - before >= WINDOW_MS) return
        last.atMs = []
        last.count = 0
        report(socket.client, {
          observed: `socket ${socket.number} sent ${FRAMES_MAX + 1} frames within ${Math.round(nowMs() - before)} ms`,
          evidence: [...socket.entries, entry],
        })
      },
    }
  },
}

/** A message of a kind that the specification does not name, and frames that the stub has not parsed. */
const UNREAD: ReadonlySet<string> = new Set(['binary', 'limited', 'too large'])

export const framesValid: ObserverRule = {
  id: 'client.frames.valid',
  advice:
    'Send JSON objects with one of the actions authenticate, subscribe, unsubscribe and synchronize, and its field; for a heartbeat, use the pings of WebSocket.',
  watch: ({ countCase, report }) => ({
    frame({ client, number, entries }, { action, entry }) {
      if (UNREAD.has(action)) return
      countCase()
      if (action !== 'invalid') return
      report(client, {
        observed: `socket ${number} sent a frame that is not JSON, or not one of the four actions with its field`,
        evidence: [...entries, entry],
      })
    },
  }),
}

export const framesSize: ObserverRule = {
  id: 'client.frames.size',
  advice: 'A frame has one action and one room or ticket: send a frame for each.',
  watch: ({ countCase, report }) => ({
    frame({ client, number, entries }, { action, entry }) {
      countCase()
      if (action !== 'too large') return
      report(client, {
        observed: `socket ${number} sent a frame of more than ${LIMITS.wsFrameBytesMax} bytes`,
        evidence: [...entries, entry],
      })
    },
  }),
}

export const roomsAtMost32: ObserverRule = {
  id: 'client.rooms.at-most-32',
  advice: 'Leave unused rooms before you join others, or open another socket.',
  watch: ({ countCase, report }) => ({
    frame({ client, rooms, number, entries }, frame) {
      if (frame.action !== 'subscribe') return
      countCase()
      if (frame.refusal !== 'rooms_full' || rooms.size < LIMITS.wsRoomsPerConnection) return
      report(client, {
        observed: `socket ${number} subscribed to a further room while it had ${rooms.size}`,
        evidence: [...entries, frame.entry],
      })
    },
  }),
}

export const roomsOwnBalances: ObserverRule = {
  id: 'client.rooms.own-balances',
  advice: 'Subscribe to balances: with the address of the wallet whose ticket the socket uses.',
  watch: ({ countCase, report }) => ({
    frame({ client, number, entries }, frame) {
      if (frame.action !== 'subscribe' || !frame.room.startsWith('balances:')) return
      const isForbidden = frame.refusal === 'room_forbidden'
      if (frame.refusal !== null && !isForbidden) return
      countCase()
      if (!isForbidden) return
      report(client, {
        observed: `socket ${number} subscribed to the balance room of another address`,
        evidence: [...entries, frame.entry],
      })
    },
  }),
}

/** A socket open for less may have ended as planned. */
const AGE_MS_MIN = 1000
const RIGHT_AFTER_MS = 500
/** One such close may be chance. */
const IN_A_ROW = 2
/** RFC 6455, section 7.4.1: codes for messages that were not understood or not allowed. */
const NOT_UNDERSTOOD: ReadonlySet<number> = new Set([1002, 1003, 1007, 1008])

/** Checks only the first injected control of each socket: the stub’s own controls, such as errors, may well end one. */
export const controlsUnknownIgnored: ObserverRule = {
  id: 'client.controls.unknown-ignored',
  advice: 'Ignore unknown controls: new ones may come at any time.',
  watch({ nowMs, after, begin, handled, report }) {
    const first = new WeakMap<ObservedSocket, { atMs: number; entry: number }>()
    const inARow = ofEach<Client, { entries: number[] }>(() => ({ entries: [] }))
    return {
      sent(socket, message) {
        if (!('control' in message) || !message.isInjected) return
        if (first.has(socket)) {
          inARow(socket.client).entries = []
          return
        }
        first.set(socket, { atMs: nowMs(), entry: message.entry })
        begin()
        after(socket.client, RIGHT_AFTER_MS, () => {
          if (socket.isOpen && socket.hasSentAll()) handled()
        })
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
        report(socket.client, {
          observed: `the client closed socket ${socket.number} with ${code} right after a control that it does not know`,
          evidence: state.entries,
        })
        state.entries = []
      },
    }
  },
}

import type { Client } from '../client.ts'
import type { ObservedSocket } from '../observed.ts'
import type { ObserverRule } from '../observer-rule.ts'
import { ofEach } from '../of-each.ts'

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

import { LIMITS } from '../../../contract/limits.ts'
import type { ObservedSocket } from '../observed.ts'
import type { ObserverRule } from '../observer-rule.ts'
import { ofEach } from '../of-each.ts'

/** One that ended earlier was ended by the exchange. */
const FULL_LIFE_MS = LIMITS.wsTicketSeconds * 1000 - 100

export const ticketRenewed: ObserverRule = {
  id: 'client.ticket.renewed',
  advice:
    'Ask for a new ticket some 15 s before the old one ends, and send authenticate again on the same socket.',
  watch({ nowMs, kin, saw, accuse, leaptSince }) {
    const authenticatedMs = ofEach<ObservedSocket, { lastMs: number }>(() => ({ lastMs: 0 }))
    return {
      frame(socket, frame) {
        if (frame.action !== 'authenticate') return
        if (frame.outcome === 'renewed') saw()
        authenticatedMs(socket).lastMs = nowMs()
      },
      closed(socket, { cause, entry }) {
        if (cause !== 'ticketExpired' || nowMs() - socket.ticketIssuedMs < FULL_LIFE_MS) return
        const { lastMs } = authenticatedMs(socket)
        if (leaptSince(lastMs)) return
        saw()
        // Who asked for a ticket may have been refused one, or not got it.
        const hasAsked = kin(socket.client).some(
          ({ reads }) => (reads.get('/auth/ws-ticket') ?? Number.NEGATIVE_INFINITY) > lastMs,
        )
        if (hasAsked) return
        accuse(socket.client, {
          observed: `the ticket of socket ${socket.number} ended after ${LIMITS.wsTicketSeconds} s, and no other had been asked for`,
          evidence: [...socket.entries, entry],
        })
      },
    }
  },
}

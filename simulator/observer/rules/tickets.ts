import { LIMITS } from '../../../contract/limits.ts'
import type { ObservedSocket } from '../observed.ts'
import { BoundedMap, type ObserverRule, ofEach } from '../observer-rule.ts'

export const ticketOnly: ObserverRule = {
  id: 'client.ticket.only',
  advice: 'Get a ticket from GET /auth/ws-ticket, and send that in the authenticate frame.',
  watch: ({ saw, accuse }) => ({
    frame({ client, entries }, frame) {
      if (frame.action !== 'authenticate') return
      saw()
      const { presented, entry } = frame
      if (presented === 'a ticket' || presented === 'unknown') return
      accuse(client, { observed: `an authenticate frame with ${presented}`, evidence: [...entries, entry] })
    },
  }),
}

const TICKETS_MAX = 5000

export const ticketFresh: ObserverRule = {
  id: 'client.ticket.fresh',
  advice: 'Ask for a new ticket right before each authenticate frame, for a renewal as for a new socket.',
  watch({ saw, accuse }) {
    const used = new BoundedMap<string, { socket: ObservedSocket; entry: number }>(TICKETS_MAX)
    return {
      frame(socket, frame) {
        if (frame.action !== 'authenticate') return
        saw()
        const { digest, outcome, entry } = frame
        const before = used.get(digest)
        if (!before && outcome !== 'refused') used.set(digest, { socket, entry })
        // Two tabs may share one for as long as both are open: they neither renew nor reconnect with it.
        const isReuse = before && (before.socket === socket || !before.socket.isOpen)
        if (!isReuse) return
        const where =
          before.socket === socket ? 'earlier on it' : `by socket ${before.socket.number}, which has closed`
        accuse(socket.client.wallet === null ? before.socket.client : socket.client, {
          observed: `socket ${socket.number} sent a ticket that had been used ${where}`,
          evidence: [before.entry, entry],
        })
      },
    }
  },
}

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

export const ticketSamePrincipal: ObserverRule = {
  id: 'client.ticket.same-principal',
  advice:
    'Renew with a ticket of the wallet that the socket began with; open another socket for another wallet.',
  watch: ({ saw, accuse }) => ({
    frame({ client, number, entries }, frame) {
      if (frame.action !== 'authenticate') return
      if (frame.outcome === 'renewed' || frame.outcome === 'another principal') saw()
      if (frame.outcome !== 'another principal') return
      accuse(client, {
        observed: `socket ${number} was to be renewed with a ticket of another wallet`,
        evidence: [...entries, frame.entry],
      })
    },
  }),
}

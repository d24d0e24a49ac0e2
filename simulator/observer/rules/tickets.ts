import { LIMITS } from '../../../contract/limits.ts'
import type { Client } from '../client.ts'
import { type ObservedSocket, parsePath } from '../observed.ts'
import { BoundedMap, type ObserverRule, ofEach } from '../observer-rule.ts'

export const ticketOnly: ObserverRule = {
  id: 'client.ticket.only',
  advice: 'Get a ticket from GET /auth/ws-ticket, and send it in the authenticate frame.',
  watch: ({ countCase, report }) => ({
    frame({ client, entries }, frame) {
      if (frame.action !== 'authenticate' || frame.presented === 'unknown') return
      countCase()
      const { presented, entry } = frame
      if (presented === 'a ticket') return
      report(client, { observed: `an authenticate frame with ${presented}`, evidence: [...entries, entry] })
    },
  }),
}

const TICKETS_MAX = 5000

export const ticketFresh: ObserverRule = {
  id: 'client.ticket.fresh',
  advice: 'Request a new ticket right before each authenticate frame, for renewals and for new sockets.',
  watch({ countCase, report }) {
    const used = new BoundedMap<string, { socket: ObservedSocket; entry: number }>(TICKETS_MAX)
    const getFirst = ofEach<Client, { socket: ObservedSocket | null }>(() => ({ socket: null }))
    return {
      frame(socket, frame) {
        if (frame.action !== 'authenticate') return
        const { digest, outcome, entry } = frame
        const before = used.get(digest)
        if (!before && outcome !== 'refused') used.set(digest, { socket, entry })
        // Two tabs may share one while both are open, if they neither renew nor reconnect with it.
        const isReuse = before && (before.socket === socket || !before.socket.isOpen)
        const first = getFirst(socket.client)
        const isAnother = outcome === 'renewed' || (outcome === 'authenticated' && first.socket !== null)
        if (outcome === 'authenticated') first.socket = socket
        // The first ticket of a client replaces none; one that two sockets share is not fresh.
        if (isReuse || (isAnother && !before)) countCase()
        if (!isReuse) return
        const where =
          before.socket === socket ? 'earlier on it' : `by socket ${before.socket.number}, which has closed`
        report(socket.client.wallet === null ? before.socket.client : socket.client, {
          observed: `socket ${socket.number} sent a ticket that had been used ${where}`,
          evidence: [before.entry, entry],
        })
      },
    }
  },
}

/** The exchange ended those that ended earlier. */
const FULL_LIFE_MS = LIMITS.wsTicketSeconds * 1000 - 100
/** A client has a ticket that came this fast, and this long before it was needed. */
const AT_ONCE_MS = 1000
const IN_TIME_MS = 10_000
/** After a required wait, clients wait on at random: this is the longest usual backoff. */
const BACKOFF_MS = 30_000

export const ticketRenewed: ObserverRule = {
  id: 'client.ticket.renewed',
  advice:
    'Request a new ticket about 15 s before the old one ends, and send authenticate again on the same socket.',
  watch({ nowMs, kin, begin, handled, report, leaptSince }) {
    const authenticatedMs = ofEach<ObservedSocket, { lastMs: number }>(() => ({ lastMs: 0 }))
    /** The last request that certainly brought a ticket, the last other one, and the last authenticate frame. */
    const getLast = ofEach<Client, { gotMs: number; failedMs: number; sentMs: number }>(() => ({
      gotMs: 0,
      failedMs: 0,
      sentMs: 0,
    }))
    return {
      responded({ client, method, url, status, arrivedMs, respondedMs }) {
        if (method !== 'GET' || parsePath(url) !== '/auth/ws-ticket') return
        const hasCome = status === 200 && respondedMs - arrivedMs <= AT_ONCE_MS
        getLast(client)[hasCome ? 'gotMs' : 'failedMs'] = arrivedMs
      },
      // It may have been for the socket that did not open.
      rejected({ client, arrivedMs }) {
        const last = getLast(client)
        last.sentMs = Math.max(last.sentMs, arrivedMs)
      },
      frame(socket, frame) {
        // An ignored frame may have been a renewal.
        if (frame.action === 'authenticate' || frame.action === 'limited')
          getLast(socket.client).sentMs = nowMs()
        if (frame.action !== 'authenticate') return
        if (frame.outcome === 'renewed') {
          begin()
          handled()
        }
        authenticatedMs(socket).lastMs = nowMs()
      },
      closed(socket, { cause, entry }) {
        if (cause !== 'ticketExpired' || nowMs() - socket.ticketIssuedMs < FULL_LIFE_MS) return
        const { lastMs } = authenticatedMs(socket)
        if (leaptSince(lastMs) || !socket.hasSentAll()) return
        const all = kin(socket.client)
        const last = all.map(getLast)
        // A client that is rate limited waits with all its requests.
        if (all.some(({ freeMs }) => nowMs() - freeMs < BACKOFF_MS + IN_TIME_MS)) return
        begin()
        const requestedMs = Math.max(...all.map(({ reads }) => reads.get('/auth/ws-ticket') ?? 0))
        // The request may have been rejected or lost, or another socket may have used the ticket.
        const isUnused =
          nowMs() - requestedMs >= IN_TIME_MS &&
          last.some(({ gotMs }) => gotMs === requestedMs) &&
          last.every(({ failedMs, sentMs }) => failedMs <= lastMs && sentMs <= lastMs)
        if (requestedMs > lastMs && !isUnused) return
        report(socket.client, {
          observed: `the ticket of socket ${socket.number} ended after ${LIMITS.wsTicketSeconds} s, and ${requestedMs > lastMs ? 'the next one was never sent' : 'no other had been requested'}`,
          evidence: [...socket.entries, entry],
        })
      },
    }
  },
}

export const ticketSamePrincipal: ObserverRule = {
  id: 'client.ticket.same-principal',
  advice:
    'Renew with a ticket of the wallet that the socket started with; open another socket for another wallet.',
  watch: ({ countCase, report }) => ({
    frame({ client, number, entries }, frame) {
      if (frame.action !== 'authenticate') return
      if (frame.outcome === 'renewed' || frame.outcome === 'another principal') countCase()
      if (frame.outcome !== 'another principal') return
      report(client, {
        observed: `socket ${number} got a renewal with a ticket of another wallet`,
        evidence: [...entries, frame.entry],
      })
    },
  }),
}

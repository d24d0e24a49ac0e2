import { by } from './conditions.ts'
import type { Deviation } from './deviation.ts'
import type { DeviationTable } from './mutant-table.ts'
import { error, rest } from './reactions.ts'
import { isSame, socket } from './socket-symptoms.ts'
import { buildTicket, issuing } from './stranger-symptoms.ts'

const TICKET = 'GET /auth/ws-ticket'
const SECOND_MS = 1000
export const TICKET_SYMPTOMS = {
  'ws-ticket-missing-403': {
    breaks: '/auth/ws-ticket returns 403 without a credential',
    rules: ['ws.ticket.needs-credentials'],
    deviates: rest(TICKET, { of: [401], when: by('missing'), reply: error(403) }),
  },
  'ws-tickets-45-s': {
    breaks: 'a ticket older than 45 seconds does not authenticate',
    rules: ['ws.ticket.lives-60s'],
    deviates: socket(({ clock }) => ({
      ticket: (ticket) => (ticket && clock.nowMs() - ticket.issuedAtMs > 45 * SECOND_MS ? undefined : ticket),
    })),
  },
  'ws-tickets-90-s': {
    breaks: 'an unused ticket authenticates for 90 seconds',
    rules: ['ws.ticket.expires-60s'],
    deviates: longer(90 * SECOND_MS, 1),
  },
  'ws-ticket-end-late': {
    breaks: 'a connection ends 40 seconds after its ticket has expired',
    rules: ['ws.ticket.ends-connection'],
    deviates: socket(() => ({
      ticket: (ticket) => ticket && { ...ticket, expiresAtMs: ticket.expiresAtMs + 40 * SECOND_MS },
    })),
  },
  'ws-ticket-end-silent': {
    breaks: 'a connection whose ticket has expired stays open but is no longer served',
    rules: ['ws.ticket.ends-connection'],
    deviates: socket(({ choices }) => ({
      close: (close) => (isSame(close, choices.feed.closes.ticketExpired) ? null : close),
    })),
  },
  'ws-renewal-other-extends': {
    breaks: 'a ticket of another wallet keeps the connection alive for its original wallet',
    rules: ['ws.ticket.renewal-other-principal'],
    deviates: socket((own) => ({
      ticket: (ticket) =>
        ticket && own.address !== null ? { ...ticket, address: own.address, principal: own.address } : ticket,
    })),
  },
  'ws-renewal-other-30-s': {
    breaks: 'a ticket of another wallet keeps the connection alive for 30 seconds',
    rules: ['ws.ticket.renewal-other-principal'],
    deviates: socket((own) => ({
      ticket: (ticket) => {
        if (!ticket || own.address === null || ticket.address === own.address) return ticket
        return { ...buildTicket(own.address, own.clock, 30 * SECOND_MS), principal: own.address }
      },
    })),
  },
} as const satisfies DeviationTable

/** Extends the life of unused tickets, from that attempt on. */
function longer(lifeMs: number, tryCount: number): Deviation {
  return {
    auth: (auth, { clock }) => {
      const { issued, issueTicket } = issuing(auth)
      const tries = new Map<string, number>()
      return {
        issueTicket,
        redeemTicket(token) {
          const known = auth.redeemTicket(token)
          const made = issued.get(token)
          if (known) issued.delete(token)
          if (known || !made || clock.nowMs() - made.atMs >= lifeMs) return known
          tries.set(token, (tries.get(token) ?? 0) + 1)
          return (tries.get(token) ?? 0) < tryCount
            ? undefined
            : buildTicket(made.address, clock, 60 * SECOND_MS)
        },
      }
    },
  }
}

/** Breaks of tickets and renewals that show only for tickets of one credential, or with a second or late renewal. */
import type { Auth, Credential } from '../auth/auth.ts'
import type { AuthTools, DeviatingSocket, Deviation, DeviationTable } from './deviation.ts'
import { socket } from './socket-symptoms.ts'
import { buildTicket } from './stranger-symptoms.ts'

const SECOND_MS = 1000
const TICKET_MS = 60 * SECOND_MS
/** Longer than any run. */
const NEVER_MS = 1e9

export const LATER_TICKET_SYMPTOMS = {
  'ws-renewed-never-ends': {
    breaks: 'a connection that was renewed once never ends',
    rules: ['ws.ticket.ends-connection'],
    deviates: socket((own) => ({
      ticket: (ticket) =>
        ticket && own.address !== null ? { ...ticket, expiresAtMs: own.clock.nowMs() + NEVER_MS } : ticket,
    })),
  },
  'ws-second-renewal-lost': {
    breaks: 'a renewal has no effect if the connection was renewed before',
    rules: ['ws.ticket.renewal'],
    deviates: socket(() => {
      let redeemed = 0
      return {
        ticket(ticket) {
          if (ticket) redeemed += 1
          return ticket && redeemed > 2 ? { ...ticket, expiresAtMs: ticket.issuedAtMs } : ticket
        },
      }
    }),
  },
  'ws-renewal-expired-ticket': {
    breaks: 'a ticket of the same wallet renews a connection after it has expired',
    rules: ['ws.ticket.ends-connection'],
    deviates: {
      ...recordingTickets(),
      ...socket((own) => ({
        ticket(ticket, token) {
          const issued = ticket ? undefined : findIssued(own, token)
          if (issued?.credential.address !== own.address || !issued.isLive()) return ticket
          const isExpired = own.clock.nowMs() - issued.atMs >= TICKET_MS
          return isExpired ? buildTicket(issued.credential.address, own.clock, TICKET_MS) : ticket
        },
      })),
    },
  },
  'ws-tickets-of-sessions-20-s': {
    breaks: 'a ticket of a session authenticates only within 20 seconds',
    rules: ['ws.ticket.lives-60s'],
    deviates: {
      ...recordingTickets(),
      ...socket((own) => ({
        ticket(ticket, token) {
          const isOfSession = findIssued(own, token)?.credential.kind === 'session'
          const isLate = ticket && own.clock.nowMs() - ticket.issuedAtMs >= 20 * SECOND_MS
          return isOfSession && isLate ? undefined : ticket
        },
      })),
    },
  },
  'ws-tickets-of-sessions-5-min': {
    breaks: 'a ticket of a session lasts five minutes',
    rules: ['ws.ticket.expires-60s', 'ws.ticket.ends-connection'],
    deviates: {
      ...recordingTickets(),
      ...socket((own) => ({
        ticket(ticket, token) {
          const issued = findIssued(own, token)
          if (issued?.credential.kind !== 'session') return ticket
          const { atMs, credential, isLive } = issued
          const isUsedUp = own.choices.ticketUse === 'once' && issued.isUsed
          const ageMs = own.clock.nowMs() - atMs
          const isLate = ageMs >= TICKET_MS && ageMs < 5 * TICKET_MS
          if (!ticket && (isUsedUp || !isLate || !isLive())) return ticket
          issued.isUsed = true
          const { address } = credential
          return { address, principal: address, issuedAtMs: atMs, expiresAtMs: atMs + 5 * TICKET_MS }
        },
      })),
    },
  },
} as const satisfies DeviationTable

type Issued = { credential: Credential; atMs: number; isUsed: boolean; isLive: () => boolean }

/** Tickets issued so far, keyed by the clock of the stub. */
const issuedTickets = new WeakMap<AuthTools['clock'], Map<string, Issued>>()

/** Records to whom tickets are issued, for `findIssued`. */
export function recordingTickets(): Pick<Deviation, 'auth'> {
  return {
    auth(auth, { clock }) {
      const tickets = new Map<string, Issued>()
      issuedTickets.set(clock, tickets)
      return {
        issueTicket(credential) {
          const made = auth.issueTicket(credential)
          const isLive = () => isValid(auth, credential)
          tickets.set(made.ticket, { credential, atMs: clock.nowMs(), isUsed: false, isLive })
          return made
        },
      }
    },
  }
}

export function findIssued({ clock }: Pick<DeviatingSocket, 'clock'>, token: string): Issued | undefined {
  return issuedTickets.get(clock)?.get(token)
}

function isValid({ sessions, apiTokens }: Auth, { kind, id }: Credential): boolean {
  return (kind === 'session' ? sessions.byId(id) : apiTokens.byId(id)) !== undefined
}

import type { Credential } from '../auth/auth.ts'
import { all, by, credential, from } from './conditions.ts'
import type { AuthTools, Deviation } from './deviation.ts'
import type { DeviationTable } from './mutant-table.ts'
import { error, rest, success } from './reactions.ts'
import { SYNCHRONIZED, socket } from './socket-symptoms.ts'
import { buildTicket } from './stranger-symptoms.ts'

const TICKET = 'GET /auth/ws-ticket'
const SECOND_MS = 1000

export const CREDENTIAL_SYMPTOMS = {
  'ws-ticket-missing-200': {
    breaks: '/auth/ws-ticket returns 200 without a credential, but no ticket',
    rules: ['ws.ticket.needs-credentials'],
    deviates: rest(TICKET, { of: [401], when: by('missing'), reply: success(() => ({ data: {} })) }),
  },
  'ws-ticket-by-session-once': {
    breaks: 'a session gets one ticket, then 403',
    rules: ['ws.ticket.by-session'],
    deviates: rest(TICKET, { when: all(by('session'), from(2, credential)), reply: error(403) }),
  },
  'ws-ticket-by-session-unserved': {
    breaks: 'a socket with the ticket of a session receives no synchronized',
    rules: ['ws.ticket.by-session'],
    deviates: unserved('session'),
  },
  'ws-ticket-by-api-token-once': {
    breaks: 'an API token gets one ticket, then 403',
    rules: ['ws.ticket.by-api-token'],
    deviates: rest(TICKET, { when: all(by('api-token'), from(2, credential)), reply: error(403) }),
  },
  'ws-ticket-by-api-token-404': {
    breaks: '/auth/ws-ticket returns 404 to an API token',
    rules: ['ws.ticket.by-api-token', 'api-token.bearer.ticket'],
    deviates: rest(TICKET, { when: by('api-token'), reply: error(404) }),
  },
  'ws-ticket-old-unserved': {
    breaks: 'a socket whose ticket is more than 40 seconds old receives no synchronized',
    rules: ['ws.ticket.lives-60s'],
    deviates: socket((own) => {
      let isOld = false
      return {
        ticket(ticket) {
          if (ticket && own.address === null) isOld = own.clock.nowMs() - ticket.issuedAtMs > 40 * SECOND_MS
          return ticket
        },
        frame: ({ action }) => (isOld && action === 'synchronize' ? 'drop' : undefined),
      }
    }),
  },
  'ws-renewal-10-s': {
    breaks: 'a renewal extends the connection by only ten seconds',
    rules: ['ws.ticket.renewal'],
    deviates: socket((own) => ({
      ticket: (ticket) =>
        ticket && own.address !== null
          ? { ...ticket, expiresAtMs: own.clock.nowMs() + 10 * SECOND_MS }
          : ticket,
    })),
  },
  'ws-late-authenticate-unserved': {
    breaks: 'a socket that authenticates more than three seconds after opening receives no synchronized',
    rules: ['ws.auth.within-5s'],
    deviates: socket((own) => {
      let isLate = false
      return {
        frame({ action }) {
          if (action === 'authenticate' && own.address === null)
            isLate = own.clock.nowMs() - own.openedAtMs > 3 * SECOND_MS
          return isLate && action === 'synchronize' ? 'drop' : undefined
        },
      }
    }),
  },
  'ws-api-token-synchronizes': {
    breaks: 'a socket whose authenticate frame has an API token receives synchronized and nothing else',
    rules: ['ws.auth.rejects-api-token'],
    deviates: socket(() => {
      let pretends = false
      return {
        frame({ action, token = '' }) {
          if (action === 'authenticate' && token.startsWith('ss_')) pretends = true
          if (!pretends) return undefined
          return action === 'synchronize' ? SYNCHRONIZED : 'drop'
        },
      }
    }),
  },
  'ws-session-token-later': {
    breaks: 'the authenticate frame accepts an access token from the second attempt on',
    rules: ['ws.auth.rejects-session-token'],
    deviates: {
      auth: ({ redeemTicket, sessions }, { clock }) => {
        const tried = new Set<string>()
        return {
          redeemTicket(token, isKnown) {
            const address = sessions.byAccessToken(token)?.address
            if (address === undefined || !tried.has(token)) {
              tried.add(token)
              return redeemTicket(token, isKnown)
            }
            return buildTicket(address, clock, 60 * SECOND_MS)
          },
        }
      },
    },
  },
} as const satisfies DeviationTable

/** Tickets whose sockets are not served, keyed by the clock of the stub. */
const unservedTickets = new WeakMap<AuthTools['clock'], Set<string>>()

/** Never sends synchronized to sockets whose ticket was issued to this kind of credential. */
function unserved(kind: Credential['kind']): Deviation {
  return {
    auth: ({ issueTicket }, { clock }) => {
      const tickets = new Set<string>()
      unservedTickets.set(clock, tickets)
      return {
        issueTicket(credential) {
          const made = issueTicket(credential)
          if (credential.kind === kind) tickets.add(made.ticket)
          return made
        },
      }
    },
    socket: ({ clock }) => {
      let isUnserved = false
      return {
        ticket(ticket, token) {
          isUnserved ||= unservedTickets.get(clock)?.has(token) ?? false
          return ticket
        },
        frame: ({ action }) => (isUnserved && action === 'synchronize' ? 'drop' : undefined),
      }
    },
  }
}

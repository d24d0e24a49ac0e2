/** Other ways to break who gets tickets for the feed, and what a socket is served that authenticates. */
import type { Auth, Credential, RedeemedTicket } from '../auth/auth.ts'
import { all, by, credential, from } from '../deviations/conditions.ts'
import type { AuthTools, Deviation, SocketDeviation } from '../deviations/deviation.ts'
import { error, rest, success } from '../deviations/reactions.ts'
import type { DeviationTable } from './mutant-table.ts'
import { socket } from './socket-symptoms.ts'
import { ticketOf } from './stranger-symptoms.ts'

const TICKET = 'GET /auth/ws-ticket'
const SECOND_MS = 1000
const SYNCHRONIZED = { answer: [{ control: 'synchronized' }] }

export const CREDENTIAL_SYMPTOMS = {
  'ws-ticket-by-session-dead': {
    breaks: 'the ticket that a session gets does not authenticate',
    rules: ['ws.ticket.by-session'],
    deviates: ticketsOf('session', (ticket) => `${ticket}0`),
  },
  'ws-ticket-by-session-unserved': {
    breaks: 'a socket with a ticket that a session got gets no synchronized',
    rules: ['ws.ticket.by-session'],
    deviates: unserved('session'),
  },
  'ws-ticket-missing-200': {
    breaks: '/auth/ws-ticket answers 200 without a credential, and without a ticket',
    rules: ['ws.ticket.needs-credentials'],
    deviates: rest(TICKET, { of: [401], when: by('missing'), reply: success(() => ({ data: {} })) }),
  },
  'ws-tickets-newest-only': {
    breaks: 'a ticket ends as its wallet gets another',
    rules: ['ws.ticket.lives-60s'],
    deviates: {
      auth: ({ issueTicket, redeemTicket }) => {
        const newest = new Map<string, string>()
        return {
          issueTicket(credential) {
            const made = issueTicket(credential)
            newest.set(credential.address, made.ticket)
            return made
          },
          redeemTicket(token, isKnown) {
            const ticket = redeemTicket(token, isKnown)
            return ticket && newest.get(ticket.address) === token ? ticket : undefined
          },
        }
      },
    },
  },
  'ws-ticket-by-api-token-401': {
    breaks: '/auth/ws-ticket answers 401 to an API token',
    rules: ['ws.ticket.by-api-token', 'api-token.bearer.ticket'],
    deviates: rest(TICKET, { when: by('api-token'), reply: error(401) }),
  },
  'ws-renewal-10-s': {
    breaks: 'a renewal keeps the connection for ten seconds',
    rules: ['ws.ticket.renewal'],
    deviates: socket((own) => ({
      ticket: (ticket) =>
        ticket && own.address !== null
          ? { ...ticket, expiresAtMs: own.clock.nowMs() + 10 * SECOND_MS }
          : ticket,
    })),
  },
  'ws-served-late': {
    breaks: 'frames are acted on only 20 seconds after a socket opens, but for authenticate',
    rules: ['ws.auth.ticket', 'ws.sync.answered'],
    deviates: socket((own) => ({
      frame: ({ action }) =>
        action !== 'authenticate' && own.clock.nowMs() - own.openedAtMs < 20 * SECOND_MS ? 'drop' : undefined,
    })),
  },
  'ws-late-authenticate-closes': {
    breaks: 'a ticket that comes more than three seconds after opening is refused',
    rules: ['ws.auth.within-5s'],
    deviates: socket((own) => ({
      ticket(ticket) {
        const isLate = own.clock.nowMs() - own.openedAtMs > 3 * SECOND_MS
        return own.address === null && isLate ? undefined : ticket
      },
    })),
  },
  'ws-api-token-synchronizes': {
    breaks: 'a socket whose authenticate frame holds an API token gets synchronized, and no more',
    rules: ['ws.auth.rejects-api-token'],
    deviates: socket(() => pretending((token) => token.startsWith('ss_'))),
  },
  'ws-session-token-for-a-moment': {
    breaks: 'the authenticate frame takes an access token for 10 seconds',
    rules: ['ws.auth.rejects-session-token'],
    deviates: taking(({ sessions }, token) => sessions.byAccessToken(token)?.address, {
      lifeMs: 10 * SECOND_MS,
    }),
  },
  'ws-ticket-by-session-once': {
    breaks: 'a session gets one ticket, and 403 from then on',
    rules: ['ws.ticket.by-session'],
    deviates: rest(TICKET, { when: all(by('session'), from(2, credential)), reply: error(403) }),
  },
  'ws-ticket-by-api-token-once': {
    breaks: 'an API token gets one ticket, and 403 from then on',
    rules: ['ws.ticket.by-api-token'],
    deviates: rest(TICKET, { when: all(by('api-token'), from(2, credential)), reply: error(403) }),
  },
  'ws-ticket-by-api-token-404': {
    breaks: '/auth/ws-ticket answers 404 to an API token',
    rules: ['ws.ticket.by-api-token', 'api-token.bearer.ticket'],
    deviates: rest(TICKET, { when: by('api-token'), reply: error(404) }),
  },
  'ws-api-token-later': {
    breaks: 'the authenticate frame takes an API token from the second try on',
    rules: ['ws.auth.rejects-api-token'],
    deviates: taking(({ apiTokens }, token) => apiTokens.bySecret(token)?.address, { from: 2 }),
  },
  'ws-session-token-later': {
    breaks: 'the authenticate frame takes an access token from the second try on',
    rules: ['ws.auth.rejects-session-token'],
    deviates: taking(({ sessions }, token) => sessions.byAccessToken(token)?.address, { from: 2 }),
  },
  'ws-session-token-of-known': {
    breaks: 'the authenticate frame takes an access token of a wallet that has used a ticket before',
    rules: ['ws.auth.rejects-session-token'],
    deviates: taking(({ sessions }, token) => sessions.byAccessToken(token)?.address, { known: true }),
  },
} as const satisfies DeviationTable

/** Tickets as credentials of one kind get them. */
function ticketsOf(kind: Credential['kind'], change: (ticket: string) => string): Deviation {
  return {
    auth: ({ issueTicket }) => ({
      issueTicket(credential) {
        const made = issueTicket(credential)
        return credential.kind === kind ? { ...made, ticket: change(made.ticket) } : made
      },
    }),
  }
}

/** By the clock of a stub: tickets whose sockets are not served. */
const unservedTickets = new WeakMap<AuthTools['clock'], Set<string>>()

/** Sockets whose ticket was for credentials of one kind get no synchronized. */
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

/** Takes such a token for nothing, and answers synchronize all the same. */
function pretending(isTaken: (token: string) => boolean): SocketDeviation {
  let pretends = false
  return {
    frame({ action, token = '' }) {
      if (action === 'authenticate' && isTaken(token)) pretends = true
      if (!pretends) return undefined
      return action === 'synchronize' ? SYNCHRONIZED : 'drop'
    },
  }
}

/** What is taken for a ticket: from that try on, for so long, or only of wallets that have used a ticket. */
function taking(
  addressOf: (auth: Auth, token: string) => string | undefined,
  options: { from?: number; lifeMs?: number; known?: boolean },
): Deviation {
  const { from: count = 1, lifeMs = 60 * SECOND_MS, known: mustBeKnown = false } = options
  return {
    auth: (auth, { clock }) => {
      const known = new Set<string>()
      let tries = 0
      return {
        redeemTicket(token, isKnown): RedeemedTicket | undefined {
          const ticket = auth.redeemTicket(token, isKnown)
          if (ticket) known.add(ticket.address)
          const address = ticket ? undefined : addressOf(auth, token)
          if (address === undefined) return ticket
          tries++
          const isTaken = tries >= count && (!mustBeKnown || known.has(address))
          return isTaken ? ticketOf(address, clock, lifeMs) : undefined
        },
      }
    },
  }
}

/** Breaks of sockets that show only with another kind of credential, another spelling, or at another time. */
import { LIMITS } from '../../../contract/limits.ts'
import type { Auth, RedeemedTicket } from '../../auth/auth.ts'
import type { AuthTools, DeviatingSocket, Deviation, DeviationTable, Frame } from '../deviation.ts'
import { findIssued, recordingTickets } from './later-rooms.ts'
import { isForeign } from './membership-symptoms.ts'
import { countUp } from './sequence-table.ts'
import { buildTicket, isSame, SYNCHRONIZED, socket } from './socket-symptoms.ts'

const SECOND_MS = 1000
const TICKET_MS = 60 * SECOND_MS
const BALANCES = 'balances:'
/** Marks tickets made of access tokens. */
const BY_ACCESS_TOKEN = 'access token'

export const SOCKET_SLIP_SYMPTOMS = {
  'ws-takes-refresh-tokens': {
    breaks: 'the authenticate frame accepts a refresh token',
    rules: ['ws.auth.rejects-session-token'],
    deviates: {
      auth(auth, { clock }) {
        const wallets = new Map<string, string>()
        const start: Auth['sessions']['start'] = (address) => {
          const grant = auth.sessions.start(address)
          wallets.set(grant.refreshToken, address)
          return grant
        }
        return {
          sessions: { ...auth.sessions, start },
          redeemTicket(text, isKnown) {
            const address = wallets.get(text)
            if (address === undefined) return auth.redeemTicket(text, isKnown)
            return buildTicket(address, clock, TICKET_MS)
          },
        }
      },
    },
  },
  'ws-takes-bearer-api-tokens': {
    breaks: 'the authenticate frame accepts an API token after the word Bearer',
    rules: ['ws.auth.rejects-api-token'],
    deviates: takingBearer((secret, { apiTokens }) => apiTokens.bySecret(secret)?.address),
  },
  'ws-takes-bearer-access-tokens': {
    breaks: 'the authenticate frame accepts an access token after the word Bearer',
    rules: ['ws.auth.rejects-session-token'],
    deviates: takingBearer((secret, { sessions }) => sessions.byAccessToken(secret)?.address),
  },
  'ws-handshake-cookies-synchronize': {
    breaks: 'a socket whose handshake carries the cookies of a session gets synchronized without a ticket',
    rules: ['ws.auth.rejects-handshake'],
    deviates: socket((own) => ({
      frame({ action }) {
        const hasSession = own.cookie?.includes(`${own.choices.profile.cookies.access}=`) === true
        if (own.address !== null || !hasSession) return undefined
        return action === 'synchronize' ? SYNCHRONIZED : action === 'subscribe' ? 'drop' : undefined
      },
    })),
  },
  'ws-4kb-authenticate': {
    breaks: 'an authenticate frame of up to 4 KB is accepted',
    rules: ['ws.frame.over-2048-refused'],
    deviates: {
      limits: { frameBytes: 4096 },
      ...socket(() => ({
        frame: ({ action, bytes }) =>
          action !== 'authenticate' && bytes > LIMITS.wsFrameBytesMax
            ? { close: { code: 1009, reason: '' } }
            : undefined,
      })),
    },
  },
  'ws-foreign-balance-by-spelling': {
    breaks: 'the balance room of another address can be joined with a space at the end of its name',
    rules: ['ws.rooms.foreign-balance', 'ws.rooms.only-subscribed'],
    deviates: joining(({ room = '' }) => (room.trim() === room ? undefined : room.trim())),
  },
  'ws-foreign-balance-by-case': {
    breaks: 'the balance room of another address can be joined with a capital letter in its name',
    rules: ['ws.rooms.foreign-balance', 'ws.rooms.only-subscribed'],
    deviates: joining(({ room = '' }) =>
      room.startsWith('Balances:') ? room.replace('Balances:', BALANCES) : undefined,
    ),
  },
  'ws-foreign-balance-by-list': {
    breaks: 'a list of two addresses, the first its own, joins the balance room of the second',
    rules: ['ws.rooms.foreign-balance', 'ws.rooms.only-subscribed'],
    deviates: joining(({ room = '' }, own) => {
      const [first = '', second] = room.split(',')
      return second === undefined || isForeign(own, first) ? undefined : BALANCES + second
    }),
  },
  'ws-foreign-balance-by-pattern': {
    breaks: 'the name of a balance room is a pattern, which may match those of other addresses',
    rules: ['ws.rooms.foreign-balance', 'ws.rooms.only-subscribed'],
    deviates: {
      socket: (own, { sockets }) => ({
        frame({ action, room }) {
          const rooms = sockets.flatMap((one) => [...one.rooms])
          const foreign = rooms.find((name) => isForeign(own, name))
          if (action !== 'subscribe' || room !== 'balances:*' || foreign === undefined) return undefined
          return { joins: foreign }
        },
      }),
    },
  },
  'ws-refused-renewal-changes-subject': {
    breaks:
      'a ticket of another wallet does not renew a connection, but allows the balance room of that wallet',
    rules: ['ws.rooms.foreign-balance'],
    deviates: socket((own) => ({
      ticket(ticket) {
        if (!ticket || own.address === null || ticket.address === own.address) return ticket
        return { ...ticket, principal: own.address, expiresAtMs: 0 }
      },
    })),
  },
  'ws-renewal-by-access-token': {
    breaks: 'an access token renews a connection',
    rules: ['ws.ticket.ends-connection'],
    deviates: {
      auth: (auth, { clock }) => ({
        redeemTicket(text, isKnown) {
          const address = auth.sessions.byAccessToken(text)?.address
          if (address === undefined) return auth.redeemTicket(text, isKnown)
          return { ...buildTicket(address, clock, TICKET_MS), credentialId: BY_ACCESS_TOKEN }
        },
      }),
      ...socket((own) => ({
        ticket: (ticket) =>
          own.address === null && ticket?.credentialId === BY_ACCESS_TOKEN ? undefined : ticket,
      })),
    },
  },
  'ws-renewal-60-s-from-now': {
    breaks: 'a renewal extends the connection by 60 seconds from then on, however old its ticket is',
    rules: ['ws.ticket.ends-connection'],
    deviates: socket((own) => ({
      ticket: (ticket) =>
        ticket && own.address !== null ? { ...ticket, expiresAtMs: own.clock.nowMs() + TICKET_MS } : ticket,
    })),
  },
  'ws-renewal-of-sessions-ignored': {
    breaks: 'a renewal with a ticket of a session has no effect',
    rules: ['ws.ticket.renewal'],
    deviates: ofSessions((ticket, own) =>
      own.address === null ? ticket : { ...ticket, expiresAtMs: ticket.issuedAtMs },
    ),
  },
  'ws-sockets-of-sessions-30-s': {
    breaks: 'a connection with a ticket of a session ends after 30 seconds',
    rules: ['ws.ticket.renewal'],
    deviates: ofSessions((ticket) => ({ ...ticket, expiresAtMs: ticket.issuedAtMs + 30 * SECOND_MS })),
  },
  'ws-cut-after-45-s': {
    breaks: 'a connection whose ticket is 45 seconds old is cut without a close frame',
    rules: ['ws.ticket.renewal'],
    deviates: socket(({ choices }) => ({
      timerMs: (ms) => (ms > 5 * SECOND_MS ? ms - 15 * SECOND_MS : ms),
      close: (close) => (isSame(close, choices.feed.closes.ticketExpired) ? 'cut' : close),
    })),
  },
  'ws-tickets-of-one-minute': {
    breaks: 'the tickets that a wallet gets within 30 seconds end with the first of them',
    rules: ['ws.ticket.lives-60s'],
    deviates: {
      auth(auth, { clock }) {
        const firstMs = new Map<string, number>()
        const endsMs = new Map<string, number>()
        return {
          issueTicket(credential) {
            const [made, nowMs] = [auth.issueTicket(credential), clock.nowMs()]
            const known = firstMs.get(credential.address) ?? Number.NEGATIVE_INFINITY
            const sinceMs = nowMs - known < 30 * SECOND_MS ? known : nowMs
            firstMs.set(credential.address, sinceMs)
            endsMs.set(made.ticket, sinceMs + TICKET_MS)
            return made
          },
          redeemTicket: (text, isKnown) =>
            clock.nowMs() < (endsMs.get(text) ?? 0) ? auth.redeemTicket(text, isKnown) : undefined,
        }
      },
    },
  },
  'ws-slip-renewal-after-refresh-refused': {
    breaks: 'a renewal is rejected if the session was refreshed after the socket authenticated',
    rules: ['ws.ticket.renewal'],
    deviates: {
      auth: ({ sessions, redeemTicket }) => {
        const refreshes = new Map<string, number>()
        return {
          sessions: {
            ...sessions,
            refresh(token) {
              const result = sessions.refresh(token)
              if (result.outcome === 'rotated')
                countUp(refreshes, sessions.byAccessToken(result.grant.accessToken)?.id ?? '')
              return result
            },
          },
          redeemTicket(token, isKnown) {
            const ticket = redeemTicket(token, isKnown)
            const count = refreshes.get(ticket?.credentialId ?? '') ?? 0
            return ticket && { ...ticket, principal: `${ticket.principal} ${count}` }
          },
        }
      },
    },
  },
  'ws-slip-renewals-ignored-after-refusal': {
    breaks:
      'after a renewal with a ticket that was never issued, later renewals of the socket have no effect',
    rules: ['ws.ticket.renewal'],
    deviates: {
      ...recordingTickets(),
      ...socket((own) => {
        let isRefused = false
        return {
          frame({ action, token = '' }) {
            if (action !== 'authenticate' || own.address === null) return undefined
            if (!findIssued(own, token)) isRefused = true
            return isRefused ? 'drop' : undefined
          },
        }
      }),
    },
  },
  'ws-renewal-ignored-cut': {
    breaks: 'a renewal has no effect: the connection is cut without a close frame when its first ticket ends',
    rules: ['ws.ticket.renewal'],
    deviates: socket((own) => ({
      ticket: (ticket) =>
        ticket && own.address !== null ? { ...ticket, expiresAtMs: ticket.issuedAtMs } : ticket,
      close: (close) => (isSame(close, own.choices.feed.closes.ticketExpired) ? 'cut' : close),
    })),
  },
  'ws-deadline-3-s-cut': {
    breaks: 'a socket that has not authenticated after three seconds is cut without a close frame',
    rules: ['ws.auth.within-5s'],
    deviates: socket(({ choices }) => ({
      timerMs: (ms) => (ms === 5 * SECOND_MS ? 3 * SECOND_MS : ms),
      close: (close) => (isSame(close, choices.feed.closes.deadlineMissed) ? 'cut' : close),
    })),
  },
  'ws-tickets-45-s-cut': {
    breaks: 'a socket that sends a ticket of more than 45 seconds is cut without a close frame',
    rules: ['ws.ticket.lives-60s'],
    deviates: socket(({ clock }) => {
      let isStale = false
      return {
        ticket(ticket) {
          isStale = ticket !== undefined && clock.nowMs() - ticket.issuedAtMs > 45 * SECOND_MS
          return isStale ? undefined : ticket
        },
        close: (close) => (isStale ? 'cut' : close),
      }
    }),
  },
} as const satisfies DeviationTable

/** Also accepts `Bearer` and a secret as a ticket of the wallet that `findWallet` returns. */
function takingBearer(findWallet: (secret: string, auth: Auth) => string | undefined): Deviation {
  return {
    auth: (auth, { clock }: AuthTools) => ({
      redeemTicket(text, isKnown) {
        const secret = /^Bearer (\S+)$/.exec(text)?.[1]
        const address = secret === undefined ? undefined : findWallet(secret, auth)
        return address === undefined
          ? auth.redeemTicket(text, isKnown)
          : buildTicket(address, clock, TICKET_MS)
      },
    }),
  }
}

/** Joins the room that `findRoom` returns for a subscription, if it is the balance room of another address. */
function joining(findRoom: (frame: Frame, own: DeviatingSocket) => string | undefined): Deviation {
  return socket((own) => ({
    frame(frame) {
      const joins = frame.action === 'subscribe' ? findRoom(frame, own) : undefined
      return joins !== undefined && isForeign(own, joins) ? { joins } : undefined
    },
  }))
}

/** Changes the tickets of sessions. */
function ofSessions(change: (ticket: RedeemedTicket, own: DeviatingSocket) => RedeemedTicket): Deviation {
  return {
    ...recordingTickets(),
    ...socket((own) => ({
      ticket(ticket, token) {
        const isOfSession = findIssued(own, token)?.credential.kind === 'session'
        return ticket && isOfSession ? change(ticket, own) : ticket
      },
    })),
  }
}

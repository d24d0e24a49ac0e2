import type { Auth, RedeemedTicket } from '../../auth/auth.ts'
import type { Close } from '../../choices/feed-choices.ts'
import { by } from '../conditions.ts'
import type {
  AuthTools,
  DeviatingSocket,
  Deviation,
  DeviationTable,
  Hub,
  SocketDeviation,
} from '../deviation.ts'
import { error, rest } from '../reactions.ts'

const SECOND_MS = 1000
export const SYNCHRONIZED = { respond: [{ control: 'synchronized' }] }
/** A socket deviation with its own state. */
export function socket(make: (socket: DeviatingSocket, hub: Hub) => SocketDeviation): Deviation {
  return { socket: make }
}

/** Applies the deviation only to sockets with even numbers. */
function everySecond(own: SocketDeviation): Deviation {
  return socket(({ number }) => (number % 2 === 0 ? own : {}))
}

export const SOCKET_SYMPTOMS = {
  'ws-late-authenticate-unread': {
    breaks: 'an authenticate frame that comes after two seconds is ignored',
    rules: ['ws.auth.within-5s'],
    deviates: socket((own) => ({
      frame: ({ action }) => {
        const isLate = own.clock.nowMs() - own.openedAtMs > 2 * SECOND_MS
        return isLate && action === 'authenticate' && own.address === null ? 'drop' : undefined
      },
    })),
  },
  'ws-deadline-20-s': {
    breaks: 'a socket may authenticate within 20 seconds',
    rules: ['ws.auth.deadline-5s'],
    deviates: socket(() => ({ timerMs: (ms) => (ms === 5 * SECOND_MS ? 20 * SECOND_MS : ms) })),
  },
  'ws-deadline-every-second': {
    breaks: 'every second socket may authenticate at any time',
    rules: ['ws.auth.deadline-5s'],
    deviates: everySecond({ timerMs: (ms) => (ms === 5 * SECOND_MS ? 1e9 : ms) }),
  },
  'ws-frames-220-closes': {
    breaks: 'a socket is closed at its 221st frame',
    rules: ['ws.frames.240-accepted'],
    deviates: socket(({ received }) => ({
      frame: () => (framesIn(received) === 221 ? { close: { code: 1008, reason: '' } } : undefined),
    })),
  },
  'ws-frames-300-answered': {
    breaks: 'synchronize is acknowledged above the frame limit',
    rules: ['ws.frames.at-most-240'],
    deviates: socket(({ received }) => ({
      frame: ({ action }) =>
        action === 'synchronize' && framesIn(received) > 200 ? SYNCHRONIZED : undefined,
    })),
  },
  'ws-frames-uncounted-after-renewal': {
    breaks: 'the frame limit does not apply to a socket that was renewed',
    rules: ['ws.frames.at-most-240'],
    deviates: socket(({ received }) => ({
      frame: ({ action }) =>
        action === 'synchronize' && (received.get('authenticate') ?? 0) > 1 && framesIn(received) > 200
          ? SYNCHRONIZED
          : undefined,
    })),
  },
  'ws-sync-mute-after-leave': {
    breaks: 'synchronize is not acknowledged on a socket that has left a room',
    rules: ['ws.sync.answered'],
    deviates: socket(({ received }) => ({
      frame: ({ action }) => (action === 'synchronize' && received.has('unsubscribe') ? 'drop' : undefined),
    })),
  },
  'ws-1900-bytes-unread': {
    breaks: 'frames of more than 1,900 bytes are ignored',
    rules: ['ws.frame.2000-accepted'],
    deviates: socket(() => ({ frame: ({ bytes }) => (bytes > 1900 ? 'drop' : undefined) })),
  },
  'ws-1500-bytes-1009': {
    breaks: 'a frame of more than 1,500 bytes closes the socket with 1009',
    rules: ['ws.frame.2000-accepted'],
    deviates: socket(() => ({
      frame: ({ bytes }) => (bytes > 1500 ? { close: { code: 1009, reason: '' } } : undefined),
    })),
  },
  'ws-1500-bytes-cut': {
    breaks: 'a frame of more than 1,500 bytes cuts the socket without a close frame',
    rules: ['ws.frame.2000-accepted'],
    deviates: socket(() => ({ frame: ({ bytes }) => (bytes > 1500 ? 'cut' : undefined) })),
  },
  'ws-frames-120-cut': {
    breaks: 'a socket is cut without a close frame at its 121st frame',
    rules: ['ws.frames.240-accepted'],
    deviates: socket(({ received }) => ({
      frame: () => (framesIn(received) === 121 ? 'cut' : undefined),
    })),
  },
} as const satisfies DeviationTable

export function isSame(close: Close, known: Close | null): boolean {
  return close.code === known?.code && close.reason === known.reason
}

export function framesIn(received: ReadonlyMap<string, number>): number {
  return [...received.values()].reduce((sum, count) => sum + count, 0)
}

const TICKET = 'GET /auth/ws-ticket'
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
    rules: ['ws.ticket.expires-60s', 'ws.ticket.ends-connection'],
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

/** More mutants of whom the feed serves: tickets are the only credential of a socket. */
export const STRANGER_SYMPTOMS = {
  'ws-strangers-get-events': {
    breaks: 'a socket that has not authenticated joins rooms',
    rules: ['ws.auth.required'],
    sometimes: ['ws.rooms.foreign-balance'],
    deviates: socket((own) => ({
      frame: ({ action, room }) =>
        own.address === null && action === 'subscribe' && room !== undefined ? { joins: room } : undefined,
    })),
  },
  'ws-strangers-get-trades': {
    breaks: 'a socket that has not authenticated joins trades rooms',
    rules: ['ws.auth.required'],
    deviates: socket((own) => ({
      frame({ action, room = '' }) {
        if (own.address !== null || action !== 'subscribe') return undefined
        return room.startsWith('trades:') ? { joins: room } : 'drop'
      },
    })),
  },
  'ws-strangers-synchronize': {
    breaks: 'a socket that has not authenticated gets synchronized',
    rules: ['ws.auth.required'],
    deviates: socket((own) => ({
      frame: ({ action }) => {
        if (own.address !== null) return undefined
        return action === 'synchronize' ? SYNCHRONIZED : action === 'subscribe' ? 'drop' : undefined
      },
    })),
  },
  'ws-handshake-synchronizes': {
    breaks: 'a socket whose handshake carries a credential gets synchronized without a ticket',
    rules: ['ws.auth.rejects-handshake'],
    deviates: socket((own) => ({
      frame: ({ action }) => {
        if (own.address !== null || own.authorization === undefined) return undefined
        return action === 'synchronize' ? SYNCHRONIZED : action === 'subscribe' ? 'drop' : undefined
      },
    })),
  },
  'ws-handshake-joins': {
    breaks: 'a socket whose handshake carries a credential is served everything without a ticket',
    rules: ['ws.auth.rejects-handshake'],
    deviates: socket((own) => ({
      frame: ({ action, room }) => {
        if (own.address !== null || own.authorization === undefined) return undefined
        return action === 'synchronize'
          ? SYNCHRONIZED
          : action === 'subscribe' && room
            ? { joins: room }
            : undefined
      },
    })),
  },
} as const satisfies DeviationTable

export function buildTicket(address: string, clock: AuthTools['clock'], lifeMs: number): RedeemedTicket {
  const nowMs = clock.nowMs()
  return { address, principal: address, issuedAtMs: nowMs, expiresAtMs: nowMs + lifeMs }
}

/** Records which tickets were issued to whom. */
export function issuing(
  auth: Auth,
): { issued: Map<string, { address: string; atMs: number; expiresAtMs: number }> } & Pick<
  Auth,
  'issueTicket'
> {
  const issued = new Map<string, { address: string; atMs: number; expiresAtMs: number }>()
  return {
    issued,
    issueTicket(credential) {
      const made = auth.issueTicket(credential)
      const { expiresAtMs } = made
      issued.set(made.ticket, {
        address: credential.address,
        atMs: expiresAtMs - 60 * SECOND_MS,
        expiresAtMs,
      })
      return made
    },
  }
}

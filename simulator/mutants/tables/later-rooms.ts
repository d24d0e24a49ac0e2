/** Breaks of rooms that show only between several sockets of a wallet, or for tickets of an API token. */

import type { EventType } from '../../../contract/room-events.ts'
import type { Auth, Credential } from '../../auth/auth.ts'
import type { AuthTools, DeviatingSocket, Deviation, DeviationTable, FrameAction } from '../deviation.ts'
import { changed } from './event-symptoms.ts'
import { refused } from './feed.ts'
import { isForeign } from './membership-symptoms.ts'
import { roomOf } from './sequence-sockets.ts'
import { countUp } from './sequence-table.ts'
import { buildTicket, socket } from './socket-symptoms.ts'

const SECOND_MS = 1000
const TICKET_MS = 60 * SECOND_MS
const ROOMS_MAX = 32
/** Longer than any run. */
const NEVER_MS = 1e9

/** Breaks of tickets and renewals that show only for tickets of one credential, or with a second or late renewal. */
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
  'ws-refused-ticket-joins': {
    breaks: 'a socket whose ticket is rejected may join rooms until it is closed at its deadline',
    rules: ['ws.auth.required'],
    deviates: {
      ...recordingTickets(),
      ...socket((own) => {
        let isRefused = false
        return {
          frame({ action, room, token = '' }) {
            if (own.address !== null) return undefined
            if (action === 'subscribe' && isRefused && room !== undefined) return { joins: room }
            if (action !== 'authenticate' || findIssued(own, token)) return undefined
            isRefused = true
            return 'drop'
          },
        }
      }),
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

const BALANCE: EventType = 'BalanceChange'

export const LATER_ROOM_SYMPTOMS = {
  'ws-foreign-balance-by-api-token': {
    breaks: 'a socket with the ticket of an API token may join any balance room',
    rules: ['ws.rooms.foreign-balance'],
    deviates: ofApiTokens((own, room) => (isForeign(own, room) ? { joins: room } : undefined)),
  },
  'ws-foreign-balance-before-ticket': {
    breaks: 'a socket that has not authenticated yet may join any balance room',
    rules: ['ws.rooms.foreign-balance'],
    deviates: socket((own) => ({
      frame: ({ action, room = '' }) =>
        action === 'subscribe' && own.address === null && room.startsWith('balances:')
          ? { joins: room }
          : undefined,
    })),
  },
  'ws-own-balance-not-by-api-token': {
    breaks: 'a socket with the ticket of an API token cannot join the balance room of its wallet',
    rules: ['ws.rooms.own-balance'],
    deviates: ofApiTokens((own, room) =>
      room.startsWith('balances:') && !isForeign(own, room)
        ? refused(own, 'room_forbidden', room)
        : undefined,
    ),
  },
  'ws-own-balance-taken-over': {
    breaks: 'only the last socket of a wallet that has joined its balance room gets its events',
    rules: ['ws.rooms.own-balance'],
    deviates: socket((own, { memory }) => ({
      joined(room) {
        if (room.startsWith('balances:')) memory.set(room, own.number)
        return []
      },
      message(message) {
        if (message.type !== BALANCE) return undefined
        return memory.get(roomOf(message, own.choices)) === own.number ? undefined : []
      },
    })),
  },
  'ws-unsubscribe-leaves-on-all-sockets': {
    breaks: 'a socket that leaves a room also takes the other sockets of its wallet out of it',
    rules: ['ws.rooms.unsubscribe'],
    sometimes: [
      'ws.rooms.32-deliver',
      'ws.rooms.own-balance',
      'ws.rooms.pool-launches',
      'ws.rooms.protocol-config',
      'ws.ticket.renewal-keeps-rooms',
    ],
    deviates: leavingOnAll(),
  },
  'ws-rooms-of-wallet-32': {
    breaks: 'the sockets of a wallet may join only 32 rooms together',
    rules: ['ws.rooms.32-deliver'],
    // Whichever sockets join last get no rooms.
    sometimes: [
      'ws.restart.restores',
      'ws.rooms.freed',
      'ws.rooms.ohlcv',
      'ws.rooms.own-balance',
      'ws.rooms.pool-launches',
      'ws.rooms.pool-stats',
      'ws.rooms.protocol-config',
      'ws.rooms.trades',
      'ws.rooms.unsubscribe',
      'ws.sync.subscriptions-active',
      'ws.ticket.renewal-keeps-rooms',
    ],
    deviates: socket((own, { sockets }) => ({
      frame({ action, room = '' }) {
        if (action !== 'subscribe' || own.address === null || own.rooms.has(room)) return undefined
        const held = sockets.flatMap(({ address, rooms }) => (address === own.address ? [...rooms] : []))
        return held.length < ROOMS_MAX ? undefined : refused(own, 'rooms_full', room)
      },
    })),
  },
  'ws-config-revision-before': {
    breaks: 'ProtocolConfigChanged has the revision before the change',
    rules: ['ws.config.agrees'],
    deviates: socket(() => ({
      message: (message) =>
        changed(message, 'ProtocolConfigChanged', ({ data }) => {
          const { revision } = data
          data.revision = typeof revision === 'number' ? revision - 1 : String(Number(revision) - 1)
        }),
    })),
  },
  'ws-unsubscribe-keeps-launches': keeping('pool_launches', 'pool_launches delivers events after it is left'),
  'ws-unsubscribe-keeps-candles': keeping('ohlcv:', 'ohlcv rooms deliver events after they are left'),
  'ws-unsubscribe-keeps-balances': keeping('balances:', 'balance rooms deliver events after they are left'),
} as const satisfies DeviationTable

/** Overrides subscriptions of sockets that an API token's ticket has authenticated. */
function ofApiTokens(subscribe: (own: DeviatingSocket, room: string) => FrameAction): Deviation {
  return {
    ...recordingTickets(),
    ...socket((own) => {
      let isOfToken = false
      return {
        ticket(ticket, token) {
          if (ticket && own.address === null)
            isOfToken = findIssued(own, token)?.credential.kind === 'api-token'
          return ticket
        },
        frame: ({ action, room = '' }) =>
          action === 'subscribe' && isOfToken ? subscribe(own, room) : undefined,
      }
    }),
  }
}

/** When a socket leaves a room, the others of its wallet get nothing of it until they join it again. */
function leavingOnAll(): Deviation {
  return socket((own, { sockets, memory }) => {
    let unsubscribed: string | undefined
    return {
      frame({ action, room = '' }) {
        unsubscribed = action === 'unsubscribe' ? room : undefined
        if (action === 'subscribe') memory.delete(`${own.number} ${room}`)
        return undefined
      },
      leaves(room) {
        if (unsubscribed !== room) return true
        for (const { number, address, rooms } of sockets)
          if (number !== own.number && address === own.address && rooms.has(room))
            countUp(memory, `${number} ${room}`)
        return true
      },
      message: (message) => (memory.has(`${own.number} ${roomOf(message, own.choices)}`) ? [] : undefined),
    }
  })
}

function keeping(rooms: string, breaks: string) {
  return {
    breaks,
    rules: ['ws.rooms.unsubscribe'],
    deviates: socket(() => ({ leaves: (room) => !room.startsWith(rooms) })),
  }
}

/** Breaks of rooms that show only between several sockets of a wallet, or for tickets of an API token. */
import type { EventType } from '../../contract/room-events.ts'
import type { DeviatingSocket, Deviation, DeviationTable, FrameAction } from './deviation.ts'
import { changed } from './event-symptoms.ts'
import { refused } from './feed.ts'
import { findIssued, recordingTickets } from './later-tickets.ts'
import { isForeign } from './membership-symptoms.ts'
import { roomOf } from './sequence-sockets.ts'
import { countUp } from './sequence-table.ts'
import { socket } from './socket-symptoms.ts'

const BALANCE: EventType = 'BalanceChange'

export const LATER_ROOM_SYMPTOMS = {
  'ws-foreign-balance-by-api-token': {
    breaks: 'a socket with the ticket of an API token may join any balance room',
    rules: ['ws.rooms.foreign-balance'],
    deviates: ofApiTokens((own, room) => (isForeign(own, room) ? { joins: room } : undefined)),
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
    sometimes: ['ws.rooms.own-balance', 'ws.rooms.pool-launches', 'ws.ticket.renewal-keeps-rooms'],
    deviates: leavingOnAll(),
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

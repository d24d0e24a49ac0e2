/** Tickets, rooms and renewals that go wrong only after other steps. */

import { findEventPath } from '../../../contract/room-events.ts'
import type { Choices } from '../../choices/choices.ts'
import { valueAt } from '../../demo-client.ts'
import type { Message } from '../deviation.ts'
import { isForeign } from './membership-symptoms.ts'
import { countingRefreshes } from './sequence-sessions.ts'
import { countUp, type SequenceTable } from './sequence-table.ts'
import { socket } from './socket-symptoms.ts'

const ROOMS_MAX = 32

export const SEQUENCE_TICKET_MUTANTS = {
  'sequence-ticket-dead-after-refresh': {
    breaks: 'a ticket does not authenticate once the session that requested it was refreshed',
    states: 'Limits: a ticket lasts 60 seconds',
    rules: ['ws.ticket.lives-60s'],
    deviates: {
      auth: (auth) => {
        const { refreshCount, refresh } = countingRefreshes(auth.sessions)
        const issued = new Map<string, { id: string; count: number }>()
        return {
          sessions: { ...auth.sessions, refresh },
          issueTicket(credential) {
            const made = auth.issueTicket(credential)
            issued.set(made.ticket, { id: credential.id, count: refreshCount(credential.id) })
            return made
          },
          redeemTicket(ticket, isKnown) {
            const { id, count } = issued.get(ticket) ?? { id: '', count: 0 }
            return refreshCount(id) > count ? undefined : auth.redeemTicket(ticket, isKnown)
          },
        }
      },
    },
  },
  'sequence-fourth-ticket-ends-first': {
    breaks: 'a session has three valid tickets: the fourth one replaces the first',
    states: 'Limits: a ticket lasts 60 seconds',
    rules: ['ws.ticket.lives-60s', 'ws.ticket.by-session'],
    deviates: {
      auth: (auth) => {
        const issued = new Map<string, string[]>()
        const ended = new Set<string>()
        return {
          issueTicket(credential) {
            const made = auth.issueTicket(credential)
            if (credential.kind !== 'session') return made
            const open = [...(issued.get(credential.id) ?? []), made.ticket]
            for (const old of open.slice(0, -3)) ended.add(old)
            issued.set(credential.id, open.slice(-3))
            return made
          },
          redeemTicket: (ticket, isKnown) =>
            ended.has(ticket) ? undefined : auth.redeemTicket(ticket, isKnown),
        }
      },
    },
  },
  'sequence-eighth-ticket-of-another': {
    breaks: 'the eighth ticket within 50 ms authenticates as the wallet of the seventh',
    states: 'Authentication, 9: a client subscribes only to the balance room of its ticket’s subject',
    rules: ['ws.rooms.own-balance', 'ws.rooms.foreign-balance'],
    deviates: {
      auth: (auth, { clock }) => {
        let recent: { address: string; atMs: number }[] = []
        const subjects = new Map<string, string>()
        return {
          issueTicket(credential) {
            const made = auth.issueTicket(credential)
            const nowMs = clock.nowMs()
            recent = recent.filter(({ atMs }) => nowMs - atMs <= 50)
            if (recent.length === 7) subjects.set(made.ticket, recent[6]?.address ?? '')
            recent.push({ address: credential.address, atMs: nowMs })
            return made
          },
          redeemTicket(text, isKnown) {
            const ticket = auth.redeemTicket(text, isKnown)
            const address = subjects.get(text)
            return ticket && address !== undefined ? { ...ticket, address, principal: address } : ticket
          },
        }
      },
    },
  },
  'sequence-second-renewal-by-anyone': {
    breaks: 'a ticket of another wallet renews a connection that its own wallet has renewed before',
    states: 'Authentication, 9: re-authentication uses the same principal',
    rules: ['ws.ticket.renewal-other-principal'],
    deviates: socket((own) => {
      let count = 0
      return {
        ticket(ticket) {
          if (ticket) count += 1
          return ticket && count > 2 && own.address !== null ? { ...ticket, principal: own.address } : ticket
        },
      }
    }),
  },
} as const satisfies SequenceTable

export const SEQUENCE_ROOM_MUTANTS = {
  'sequence-subscribed-twice-left-once': {
    breaks: 'a room to which a socket has subscribed twice delivers until it is left twice',
    states: 'Events, Client frames: unsubscribe leaves a room',
    rules: ['ws.rooms.unsubscribe'],
    deviates: socket(({ rooms }) => {
      const twice = new Set<string>()
      return {
        frame({ action, room = '' }) {
          if (action === 'subscribe' && rooms.has(room)) twice.add(room)
          return action === 'unsubscribe' && twice.delete(room) ? 'drop' : undefined
        },
      }
    }),
  },
  'sequence-33rd-room-after-unjoined-leave': {
    breaks: 'leaving a room that was not joined makes place for a room above the limit',
    states: 'Limits: 32 rooms per connection',
    rules: ['ws.rooms.at-most-32'],
    deviates: socket((own) => {
      const { rooms } = own
      let spare = 0
      return {
        frame({ action, room = '' }) {
          if (action === 'unsubscribe' && !rooms.has(room)) spare += 1
          const isOver = action === 'subscribe' && rooms.size >= ROOMS_MAX && !rooms.has(room)
          if (!isOver || spare === 0 || isForeign(own, room)) return undefined
          spare -= 1
          return { joins: room }
        },
      }
    }),
  },
  'sequence-late-room-lost-at-renewal': {
    breaks: 'a room that a socket joins after a renewal is silent after the next renewal',
    states: 'Events, Connection procedure: only a reconnect needs every subscription again',
    rules: ['ws.ticket.renewal-keeps-rooms'],
    deviates: socket(({ choices }) => {
      const joinedAfter = new Map<string, number>()
      let renewals = -1
      return {
        frame({ action, room = '' }) {
          if (action === 'authenticate') renewals += 1
          if (action === 'subscribe' && renewals > 0) joinedAfter.set(room, joinedAfter.get(room) ?? renewals)
          return undefined
        },
        message: (message) =>
          (joinedAfter.get(roomOf(message, choices)) ?? renewals) < renewals ? [] : undefined,
      }
    }),
  },
  'sequence-candles-end-with-trades': {
    breaks: 'leaving the trades room of a pool also leaves its ohlcv room',
    states: 'Events, Client frames: unsubscribe leaves a room',
    rules: ['ws.rooms.unsubscribe', 'ws.rooms.ohlcv'],
    deviates: socket(({ choices }) => {
      const left = new Set<string>()
      return {
        frame({ action, room = '' }) {
          if (action === 'unsubscribe') left.add(room.replace('trades:', 'ohlcv:'))
          if (action === 'subscribe') left.delete(room)
          return undefined
        },
        message: (message) => (left.has(roomOf(message, choices)) ? [] : undefined),
      }
    }),
  },
  'sequence-leave-silences-third-socket': {
    breaks:
      'if three sockets of a wallet are in a room and one leaves it, the newest other one gets no events of it',
    states: 'Events, Client frames: unsubscribe leaves a room',
    rules: ['ws.rooms.unsubscribe'],
    deviates: socket((own, { sockets, memory }) => ({
      frame({ action, room = '' }) {
        const members = sockets.filter((one) => one.address === own.address && one.rooms.has(room))
        const newest = members.filter((one) => one !== own).at(-1)
        if (action === 'unsubscribe' && members.includes(own) && members.length >= 3)
          countUp(memory, `${newest?.number} ${room}`)
        return undefined
      },
      message: (message) => (memory.has(`${own.number} ${roomOf(message, own.choices)}`) ? [] : undefined),
    })),
  },
  'sequence-synchronized-before-31st-room': {
    breaks: 'synchronized comes five seconds before the rooms from the 31st on are active',
    states: 'Events, Client frames: synchronized comes once subscriptions are active',
    rules: ['ws.sync.subscriptions-active'],
    deviates: socket(({ rooms }) => ({ joinMs: () => (rooms.size >= 31 ? 5000 : 0) })),
  },
  'sequence-foreign-balance-after-renewal': {
    breaks: 'a socket that was renewed may join the balance room of another address',
    states: 'Authentication, 9: a client subscribes only to the balance room of its ticket’s subject',
    rules: ['ws.rooms.foreign-balance'],
    deviates: socket((own) => ({
      frame: ({ action, room = '' }) =>
        action === 'subscribe' && (own.received.get('authenticate') ?? 0) > 1 && isForeign(own, room)
          ? { joins: room }
          : undefined,
    })),
  },
} as const satisfies SequenceTable

const ROOM_OF: Readonly<Record<string, string>> = {
  PoolStats: 'pool_stats:',
  Ohlcv: 'ohlcv:',
  Trade: 'trades:',
  PoolLaunch: 'pool_launches',
  ProtocolConfigChanged: 'protocol_config',
  BalanceChange: 'balances:',
}

/** The room that sends this event; empty for controls. */
export function roomOf(message: Message, { profile }: Choices): string {
  const room = ROOM_OF[message.type ?? ''] ?? ''
  const path = message.type === 'BalanceChange' ? profile.events.address : profile.events.pool
  return room.endsWith(':') ? `${room}${valueAt(message, findEventPath(path, message.type) ?? '')}` : room
}

/** Breaks of rooms and events that show only next to another room, socket or pool, or without a frame that clients usually send. */
import { valueAt } from '../../demo-client.ts'
import type { DeviatingSocket, Deviation, DeviationTable, Frame, Hub, Message } from '../deviation.ts'
import { poolPath } from '../reactions.ts'
import { changed } from './event-symptoms.ts'
import { countingRooms } from './fresh-feed.ts'
import { isForeign } from './membership-symptoms.ts'
import { roomOf } from './sequence-sockets.ts'
import { socket } from './socket-symptoms.ts'

export const ROOM_SLIP_SYMPTOMS = {
  'ws-slip-refused-room-counts': {
    breaks: 'a subscription that is rejected takes a place of the limit of rooms',
    rules: ['ws.rooms.32-deliver'],
    deviates: countingRooms((own) => {
      let refused = 0
      return {
        count: () => own.rooms.size + refused,
        heard(action, room) {
          if (action === 'subscribe' && isForeign(own, room)) refused += 1
        },
      }
    }),
  },
  'ws-slip-leave-silences-pool': {
    breaks: 'a socket that leaves one room of a pool gets nothing of its other rooms of the pool',
    rules: ['ws.rooms.unsubscribe'],
    sometimes: ['ws.rooms.freed'],
    deviates: silencing(({ action, room = '' }, { rooms }) => {
      const pool = room.replace(/.*:/, ':')
      return action === 'unsubscribe' && room !== pool ? [...rooms].filter((one) => one.endsWith(pool)) : []
    }),
  },
  'ws-slip-joined-twice-left-once': {
    breaks: 'a room that was joined twice has to be left twice',
    rules: ['ws.rooms.unsubscribe'],
    deviates: socket(({ rooms }) => {
      const again = new Map<string, number>()
      return {
        frame({ action, room = '' }) {
          const count = again.get(room) ?? 0
          if (action === 'subscribe' && rooms.has(room)) again.set(room, count + 1)
          if (action !== 'unsubscribe' || count === 0) return undefined
          again.set(room, count - 1)
          return 'drop'
        },
      }
    }),
  },
  'ws-slip-renewal-leaves-balances': {
    breaks: 'a renewal leaves the balance room',
    rules: ['ws.rooms.own-balance'],
    deviates: silencing(({ action }, { address, rooms }) =>
      action === 'authenticate' && address !== null ? startingWith(rooms, 'balances:') : [],
    ),
  },
  'ws-slip-renewal-leaves-config': {
    breaks: 'a renewal leaves protocol_config',
    rules: ['ws.ticket.renewal-keeps-rooms'],
    sometimes: ['ws.rooms.protocol-config'],
    deviates: silencing(({ action }, { address, rooms }) =>
      action === 'authenticate' && address !== null ? startingWith(rooms, 'protocol_config') : [],
    ),
  },
  'ws-slip-renewal-leaves-launches': {
    breaks: 'a renewal leaves pool_launches',
    rules: ['ws.ticket.renewal-keeps-rooms'],
    sometimes: ['ws.rooms.pool-launches'],
    deviates: silencing(({ action }, { address, rooms }) =>
      action === 'authenticate' && address !== null ? startingWith(rooms, 'pool_launches') : [],
    ),
  },
  'ws-slip-trades-lapse': {
    breaks: 'a room of trades delivers nothing from 40 seconds after the socket has joined it',
    rules: ['ws.ticket.renewal-keeps-rooms'],
    deviates: socket((own) => {
      const joinedAtMs = new Map<string, number>()
      return {
        frame({ action, room = '' }) {
          if (action === 'subscribe') joinedAtMs.set(room, own.clock.nowMs())
          return undefined
        },
        message(message) {
          const room = roomOf(message, own.choices)
          const ageMs = own.clock.nowMs() - (joinedAtMs.get(room) ?? 0)
          return room.startsWith('trades:') && ageMs > LAPSE_MS ? [] : undefined
        },
      }
    }),
  },
  'ws-slip-close-silences-balances': closing('balances:', 'ws.rooms.own-balance'),
  'ws-slip-close-silences-config': {
    ...closing('protocol_config', 'ws.rooms.protocol-config'),
    sometimes: ['ws.ticket.renewal-keeps-rooms'],
  },
  'ws-slip-close-silences-launches': closing('pool_launches', 'ws.rooms.pool-launches'),
  'ws-slip-silent-until-synchronize': {
    breaks: 'a room delivers nothing until the socket sends synchronize after it has joined it',
    rules: ['ws.rooms.pool-stats', 'ws.rooms.trades', 'ws.rooms.ohlcv'],
    deviates: socket((own) => {
      const active = new Set<string>()
      return {
        frame({ action }) {
          if (action === 'synchronize') for (const room of own.rooms) active.add(room)
          return undefined
        },
        message: (message) =>
          message.type !== undefined && !active.has(roomOf(message, own.choices)) ? [] : undefined,
      }
    }),
  },
  'ws-slip-config-without-ticket': publicRoom('protocol_config'),
  'ws-slip-candles-without-ticket': publicRoom('ohlcv:'),
  'ws-slip-launch-retained': {
    breaks: 'a socket that joins pool_launches gets the last PoolLaunch of the gateway',
    rules: ['ws.delivery.not-replayed'],
    deviates: socket((_own, hub) => ({
      message(message) {
        if (message.type === 'PoolLaunch') lastLaunches.set(hub, message)
        return undefined
      },
      joined(room) {
        const last = lastLaunches.get(hub)
        return room === 'pool_launches' && last ? [last] : []
      },
    })),
  },
  'ws-slip-config-of-fee-tiers-only': {
    breaks: 'ProtocolConfigChanged is sent only for fee_tiers',
    rules: ['ws.rooms.protocol-config'],
    deviates: socket((own) => ({
      message: (message) =>
        message.type === 'ProtocolConfigChanged' &&
        listChanges(message, own).every(({ scope }) => scope !== 'fee_tiers')
          ? []
          : undefined,
    })),
  },
  'ws-slip-config-block-of-fee-tiers-only': {
    breaks: 'ProtocolConfigChanged has no observed block if no fee tier changed',
    rules: ['ws.event.config'],
    deviates: socket((own) => ({
      message: (message) =>
        changed(message, 'ProtocolConfigChanged', (copy) => {
          if (listChanges(copy, own).every(({ scope }) => scope !== 'fee_tiers'))
            delete copy.data.observed_block
        }),
    })),
  },
  'ws-slip-config-scope-as-key': {
    breaks: 'the changes of ProtocolConfigChanged have scope and key swapped',
    rules: ['ws.event.config'],
    deviates: socket((own) => ({
      message: (message) =>
        changed(message, 'ProtocolConfigChanged', (copy) => {
          for (const change of listChanges(copy, own))
            Object.assign(change, { scope: change.key, key: change.scope })
        }),
    })),
  },
  'ws-slip-launched-pools-silent': {
    breaks: 'the rooms of a pool that was launched after the gateway started deliver nothing',
    rules: ['ws.rooms.pool-stats', 'ws.rooms.trades', 'ws.rooms.ohlcv'],
    deviates: socket(({ choices }, { memory }) => ({
      message(message) {
        const launched = `launched ${valueAt(message, poolPath(message, choices))}`
        if (message.type !== 'PoolLaunch') return memory.has(launched) ? [] : undefined
        memory.set(launched, 1)
        return undefined
      },
    })),
  },
} as const satisfies DeviationTable

const LAPSE_MS = 40_000

/** The last PoolLaunch of each gateway. */
const lastLaunches = new WeakMap<Hub, Message>()

function startingWith(rooms: ReadonlySet<string>, start: string): string[] {
  return [...rooms].filter((room) => room.startsWith(start))
}

/** After such a frame, the rooms that `find` returns deliver nothing until the socket joins them again. */
function silencing(find: (frame: Frame, own: DeviatingSocket) => readonly string[]): Deviation {
  return socket((own) => {
    const silent = new Set<string>()
    return {
      frame(frame) {
        if (frame.action === 'subscribe') silent.delete(frame.room ?? '')
        for (const room of find(frame, own)) silent.add(room)
        return undefined
      },
      message: (message) => (silent.has(roomOf(message, own.choices)) ? [] : undefined),
    }
  })
}

/** When a socket ends, the others of its wallet get nothing of such rooms that it was in, until they join them again. */
function closing(rooms: string, rule: string) {
  return {
    breaks: `the end of a socket silences other sockets of its wallet in ${rooms.replace(':', '')}`,
    rules: [rule],
    deviates: socket((own, { sockets, memory }) => {
      let unsubscribed: string | undefined
      return {
        frame({ action, room = '' }) {
          unsubscribed = action === 'unsubscribe' ? room : undefined
          if (action === 'subscribe') memory.delete(`${own.number} ${room}`)
          return undefined
        },
        leaves(room) {
          if (unsubscribed === room || !room.startsWith(rooms)) return true
          for (const other of sockets)
            if (other !== own && other.address === own.address && other.rooms.has(room))
              memory.set(`${other.number} ${room}`, 1)
          return true
        },
        message: (message) => (memory.has(`${own.number} ${roomOf(message, own.choices)}`) ? [] : undefined),
      }
    }),
  }
}

function publicRoom(start: string) {
  return {
    breaks: `a socket joins ${start.replace(':', '')} without authenticating`,
    rules: ['ws.auth.required'],
    deviates: socket((own) => ({
      frame: ({ action, room = '' }) =>
        action === 'subscribe' && own.address === null && room.startsWith(start)
          ? { joins: room }
          : undefined,
    })),
  }
}

function listChanges(message: Message, { choices }: DeviatingSocket): Record<string, unknown>[] {
  return valueAt(message, choices.profile.events.changes) as Record<string, unknown>[] // as: the stub's body
}

import type { EventType } from '../../../contract/room-events.ts'
import type { DeviatingSocket, Deviation, DeviationTable } from '../deviation.ts'
import { each } from './event-symptoms.ts'
import { socket } from './socket-symptoms.ts'

const ROOMS_MAX = 32

export const MEMBERSHIP_SYMPTOMS = {
  'ws-33-rooms-again': {
    breaks: 'a room above the limit is joined at the second attempt',
    rules: ['ws.rooms.at-most-32'],
    deviates: joinedAgain(({ rooms }, room) => rooms.size >= ROOMS_MAX && !rooms.has(room)),
  },
  'ws-32nd-room-silent': {
    breaks: 'the 32nd room of a socket delivers nothing',
    rules: ['ws.rooms.32-deliver', 'ws.rooms.freed'],
    deviates: socket(({ rooms }) => ({ join: (room) => (rooms.size === ROOMS_MAX ? [] : [room]) })),
  },
  'ws-21st-room-closes': {
    breaks: 'subscribing to a 21st room closes the socket',
    rules: ['ws.rooms.32-deliver'],
    deviates: socket(({ rooms }) => ({
      frame: ({ action }) =>
        action === 'subscribe' && rooms.size >= 20 ? { close: { code: 1008, reason: '' } } : undefined,
    })),
  },
  'ws-freed-by-half': {
    breaks: 'every second room that is left still counts toward the limit',
    rules: ['ws.rooms.freed'],
    sometimes: ['ws.frames.at-most-240'],
    deviates: socket(({ rooms, received }) => ({
      frame({ action }) {
        const kept = Math.floor((received.get('unsubscribe') ?? 0) / 2)
        return action === 'subscribe' && rooms.size + kept >= ROOMS_MAX ? 'drop' : undefined
      },
    })),
  },
  'ws-rooms-burst-unlimited': {
    breaks: 'a room counts toward the limit only 30 ms after it was joined',
    rules: ['ws.rooms.at-most-32'],
    deviates: socket((own) => {
      const joinedAtMs: number[] = []
      return {
        frame({ action, room = '' }) {
          const isNew = action === 'subscribe' && own.address !== null && !own.rooms.has(room)
          if (!isNew || isForeign(own, room)) return undefined
          const nowMs = own.clock.nowMs()
          const isFull = joinedAtMs.filter((atMs) => nowMs - atMs >= 30).length >= ROOMS_MAX
          if (isFull) return undefined
          joinedAtMs.push(nowMs)
          return own.rooms.size < ROOMS_MAX ? undefined : { joins: room }
        },
      }
    }),
  },
  'ws-rejoined-room-silent': {
    breaks: 'a room that a socket leaves and joins again delivers nothing',
    rules: ['ws.sync.subscriptions-active'],
    deviates: socket(() => {
      const left = new Set<string>()
      const silent = new Set<string>()
      return {
        frame({ action, room = '' }) {
          if (action === 'unsubscribe') left.add(room)
          if (action === 'subscribe' && left.has(room)) silent.add(room)
          return undefined
        },
        join: (room) => (silent.has(room) ? [] : [room]),
      }
    }),
  },
  'ws-own-balance-silent': {
    breaks: 'the balance room of the own address delivers nothing',
    rules: ['ws.rooms.own-balance'],
    deviates: each('BalanceChange', () => []),
  },
  'ws-foreign-balance-again': {
    breaks: 'the balance room of another address is joined at the second attempt',
    rules: ['ws.rooms.foreign-balance'],
    deviates: joinedAgain(isForeign),
  },
  'ws-foreign-balance-with-own': {
    breaks: 'a socket that has a room may join the balance room of another address',
    rules: ['ws.rooms.foreign-balance'],
    deviates: socket((own) => ({
      frame: ({ action, room = '' }) =>
        action === 'subscribe' && isForeign(own, room) && own.rooms.size > 0 ? { joins: room } : undefined,
    })),
  },
  'ws-unsubscribe-keeps-trades': {
    breaks: 'trades rooms deliver events after they are left',
    rules: ['ws.rooms.unsubscribe'],
    deviates: socket(() => ({ leaves: (room) => !room.startsWith('trades:') })),
  },
  'ws-launches-to-all': {
    breaks: 'a socket that joins a room of a pool receives PoolLaunch too',
    rules: ['ws.rooms.only-subscribed'],
    deviates: socket(() => ({ join: (room) => (room.includes(':') ? [room, 'pool_launches'] : [room]) })),
  },
  'ws-trades-with-stats': {
    breaks: 'pool_stats rooms also deliver the trades of the pool',
    rules: ['ws.rooms.only-subscribed'],
    sometimes: ['ws.rooms.unsubscribe'],
    deviates: socket(() => ({
      join: (room) =>
        room.startsWith('pool_stats:') ? [room, room.replace('pool_stats:', 'trades:')] : [room],
    })),
  },
  'ws-stats-as-control': asControl('PoolStats', 'ws.rooms.pool-stats'),
  'ws-trades-as-control': asControl('Trade', 'ws.rooms.trades'),
  'ws-candles-as-control': asControl('Ohlcv', 'ws.rooms.ohlcv'),
  'ws-launches-as-control': asControl('PoolLaunch', 'ws.rooms.pool-launches'),
} as const satisfies DeviationTable

/** Joins a rejected room when the socket subscribes to it again. */
function joinedAgain(isRefused: (own: DeviatingSocket, room: string) => boolean): Deviation {
  return socket((own) => {
    const refused = new Set<string>()
    return {
      frame({ action, room = '' }) {
        if (action !== 'subscribe' || !isRefused(own, room)) return undefined
        if (refused.has(room)) return { joins: room }
        refused.add(room)
        return undefined
      },
    }
  })
}

/** Sends events with their type as `control`. */
function asControl(type: EventType, rule: string) {
  return {
    breaks: `${type} comes as a control of that name`,
    rules: [rule],
    deviates: each(type, ({ data }) => [{ control: type, data }]),
  }
}

/** True for the balance room of an address other than that of the socket. */
export function isForeign({ address, choices }: DeviatingSocket, room: string): boolean {
  return (
    address !== null &&
    room.startsWith('balances:') &&
    room !== `balances:${choices.wire.address.encode(address)}`
  )
}

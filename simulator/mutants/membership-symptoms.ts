/** Other ways to break which rooms a socket may hold, and what it gets of them. */
import type { EventType } from '../../contract/schemas/feed.ts'
import type { DeviatingSocket, FrameAction } from '../deviations/deviation.ts'
import { valueAt } from '../examples/demo-client.ts'
import { changed } from './event-symptoms.ts'
import type { DeviationTable } from './mutant-table.ts'
import { setAt } from './set-at.ts'
import { socket } from './socket-symptoms.ts'

const MINUTE_MS = 60_000
const ROOMS_MAX = 32
const CLOSED = { close: { code: 1008, reason: '' } }

export const MEMBERSHIP_SYMPTOMS = {
  'ws-32nd-room-silent': {
    breaks: 'the 32nd room that a socket holds delivers nothing',
    rules: ['ws.rooms.32-deliver'],
    deviates: socket(({ rooms }) => ({ join: (room) => (rooms.size === ROOMS_MAX ? [] : [room]) })),
  },
  'ws-21st-room-closes': {
    breaks: 'the subscription of a 21st room closes the socket',
    rules: ['ws.rooms.32-deliver'],
    deviates: socket(({ rooms }) => ({
      frame: ({ action }) => (action === 'subscribe' && rooms.size >= 20 ? CLOSED : undefined),
    })),
  },
  'ws-stats-uncounted': uncounted('pool_stats:'),
  'ws-trades-uncounted': uncounted('trades:'),
  'ws-candles-uncounted': uncounted('ohlcv:'),
  'ws-freed-after-a-minute': {
    breaks: 'a room that is left gives its place back a minute later',
    rules: ['ws.rooms.freed'],
    deviates: socket((own) => {
      const leftMs: number[] = []
      return {
        frame: ({ action }) =>
          losing(own, action, () => leftMs.filter((ms) => own.clock.nowMs() - ms < MINUTE_MS).length, leftMs),
      }
    }),
  },
  'ws-own-balance-silent': {
    breaks: 'the balance room of the own address delivers nothing',
    rules: ['ws.rooms.own-balance'],
    deviates: silent('BalanceChange'),
  },
  'ws-foreign-balance-refused-joined': {
    breaks: 'the balance room of another address is joined, and one change in two arrives',
    rules: ['ws.rooms.foreign-balance'],
    deviates: socket((own) => ({
      frame: ({ action, room = '' }) =>
        action === 'subscribe' && isForeign(own, room) ? { joins: room } : undefined,
      message: ({ type }) =>
        type === 'BalanceChange' && (own.sent.get('BalanceChange') ?? 0) % 2 === 0 ? [] : undefined,
    })),
  },
  'ws-unsubscribe-keeps-stats': {
    breaks: 'rooms of pool_stats deliver on after they are left',
    rules: ['ws.rooms.unsubscribe'],
    deviates: socket(() => ({ leaves: (room) => !room.startsWith('pool_stats:') })),
  },
  'ws-foreign-balance-as-hint': {
    breaks: 'the balance room of another address is joined, and its changes arrive as BalanceHint',
    rules: ['ws.rooms.foreign-balance'],
    deviates: socket((own) => ({
      frame: ({ action, room = '' }) =>
        action === 'subscribe' && isForeign(own, room) ? { joins: room } : undefined,
      message(message) {
        const address = valueAt(message, own.choices.profile.events.address)
        const isOthers = message.type === 'BalanceChange' && isForeign(own, `balances:${address}`)
        return isOthers ? [{ ...message, type: 'BalanceHint' }] : undefined
      },
    })),
  },
  'ws-stats-of-another-pool': {
    breaks: 'each PoolStats comes once more, with the key of another pool',
    rules: ['ws.rooms.only-subscribed'],
    deviates: socket(({ choices }) => ({
      message(message) {
        const path = choices.profile.events.pool
        const copy = changed(message, 'PoolStats', (other) => {
          const key = String(valueAt(other, path))
          setAt(other, path, `${key.slice(0, -1)}${key.endsWith('1') ? '2' : '1'}`)
        })
        return copy && [message, ...copy]
      },
    })),
  },
  'ws-launches-to-all': {
    breaks: 'whoever joins a room of a pool gets PoolLaunch too',
    rules: ['ws.rooms.only-subscribed'],
    deviates: socket(() => ({ join: (room) => (room.includes(':') ? [room, 'pool_launches'] : [room]) })),
  },
  'ws-stats-as-control': asControl('PoolStats', 'ws.rooms.pool-stats'),
  'ws-trades-as-control': asControl('Trade', 'ws.rooms.trades'),
  'ws-candles-as-control': asControl('Ohlcv', 'ws.rooms.ohlcv'),
  'ws-launches-as-control': asControl('PoolLaunch', 'ws.rooms.pool-launches'),
  'ws-33-rooms-again': {
    breaks: 'a room beyond the bound is joined if it is asked for again',
    rules: ['ws.rooms.at-most-32'],
    deviates: socket(({ rooms }) => {
      const refused = new Set<string>()
      return {
        frame({ action, room = '' }) {
          if (action !== 'subscribe' || rooms.size < ROOMS_MAX) return undefined
          if (refused.has(room)) return { joins: room }
          refused.add(room)
          return undefined
        },
      }
    }),
  },
  'ws-freed-by-half': {
    breaks: 'of the rooms that are left every second one keeps its place',
    rules: ['ws.rooms.freed'],
    deviates: socket((own) => {
      const leftMs: number[] = []
      return { frame: ({ action }) => losing(own, action, () => Math.floor(leftMs.length / 2), leftMs) }
    }),
  },
  'ws-foreign-balances-later': {
    breaks: 'the balance room of another address is joined from the second try on',
    rules: ['ws.rooms.foreign-balance'],
    deviates: socket((own, { memory }) => ({
      frame({ action, room = '' }) {
        if (action !== 'subscribe' || !isForeign(own, room)) return undefined
        memory.set(room, (memory.get(room) ?? 0) + 1)
        return (memory.get(room) ?? 0) > 1 ? { joins: room } : undefined
      },
    })),
  },
  'ws-foreign-balance-beside-own': {
    breaks: 'a socket that holds a room may join the balance room of another address',
    rules: ['ws.rooms.foreign-balance'],
    deviates: socket((own) => ({
      frame: ({ action, room = '' }) =>
        action === 'subscribe' && isForeign(own, room) && own.rooms.size > 0 ? { joins: room } : undefined,
    })),
  },
  'ws-unsubscribe-keeps-trades': {
    breaks: 'rooms of trades deliver on after they are left',
    rules: ['ws.rooms.unsubscribe'],
    deviates: socket(() => ({ leaves: (room) => !room.startsWith('trades:') })),
  },
  'ws-trades-with-stats': {
    breaks: 'rooms of pool_stats also deliver the trades of the pool',
    rules: ['ws.rooms.only-subscribed'],
    deviates: socket(() => ({
      join: (room) =>
        room.startsWith('pool_stats:') ? [room, room.replace('pool_stats:', 'trades:')] : [room],
    })),
  },
  'ws-trades-of-others': {
    breaks: 'a room of trades also delivers those of the rooms that other sockets hold',
    rules: ['ws.rooms.only-subscribed'],
    deviates: socket((_own, { sockets }) => ({
      join: (room) => (room.startsWith('trades:') ? [room, ...roomsLike('trades:', sockets)] : [room]),
    })),
  },
  'ws-stats-of-others': {
    breaks: 'a room of pool_stats also delivers the figures of the rooms that other sockets hold',
    rules: ['ws.rooms.only-subscribed'],
    deviates: socket((_own, { sockets }) => ({
      join: (room) =>
        room.startsWith('pool_stats:') ? [room, ...roomsLike('pool_stats:', sockets)] : [room],
    })),
  },
} as const satisfies DeviationTable

/** Rooms of that kind take no place, once the bound is reached. */
function uncounted(kind: string) {
  return {
    breaks: `rooms ${kind}… are joined beyond the bound`,
    rules: ['ws.rooms.at-most-32'],
    deviates: socket(({ rooms }) => ({
      frame: ({ action, room = '' }) =>
        action === 'subscribe' && rooms.size >= ROOMS_MAX && room.startsWith(kind)
          ? { joins: room }
          : undefined,
    })),
  }
}

/** Events that come with their type as `control`. */
function asControl(type: EventType, rule: string) {
  return {
    breaks: `${type} comes as a control of that name`,
    rules: [rule],
    deviates: socket(() => ({
      message: (message) => (message.type === type ? [{ control: type, data: message.data }] : undefined),
    })),
  }
}

function silent(type: EventType) {
  return socket(() => ({ message: (message) => (message.type === type ? [] : undefined) }))
}

/** Drops subscriptions for which there is no place, as places are lost by leaving. */
function losing(
  { rooms, clock }: DeviatingSocket,
  action: string,
  lost: () => number,
  leftMs: number[],
): FrameAction {
  if (action === 'unsubscribe') leftMs.push(clock.nowMs())
  return action === 'subscribe' && rooms.size + lost() >= ROOMS_MAX ? 'drop' : undefined
}

/** The rooms of that kind that sockets hold. */
function roomsLike(kind: string, sockets: readonly DeviatingSocket[]): string[] {
  return sockets.flatMap(({ rooms }) => [...rooms].filter((room) => room.startsWith(kind)))
}

function isForeign({ address, choices }: DeviatingSocket, room: string): boolean {
  return (
    address !== null &&
    room.startsWith('balances:') &&
    room !== `balances:${choices.wire.address.encode(address)}`
  )
}

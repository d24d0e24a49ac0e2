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

function isForeign({ address, choices }: DeviatingSocket, room: string): boolean {
  return (
    address !== null &&
    room.startsWith('balances:') &&
    room !== `balances:${choices.wire.address.encode(address)}`
  )
}

/**
 * Feed mutants that break one kind of room, one socket of several, or only the time after a renewal, a restart or a
 * second frame.
 */
import { valueAt } from '../demo-client.ts'
import type { DeviatingSocket, Frame, SocketDeviation } from './deviation.ts'
import { isForeign } from './membership-symptoms.ts'
import type { DeviationTable } from './mutant-table.ts'
import { socket } from './socket-symptoms.ts'

const MINUTE_MS = 60_000
const ROOMS_MAX = 32

export const QUIET_FEED_SYMPTOMS = {
  'ws-sync-before-candles': {
    breaks: 'synchronized comes a minute before candles subscriptions are active',
    rules: ['ws.sync.subscriptions-active'],
    deviates: socket(() => ({
      frame: ({ action, room = '' }) =>
        action === 'subscribe' && room.startsWith('ohlcv:') ? { afterMs: MINUTE_MS } : undefined,
    })),
  },
  'ws-restart-silent': {
    breaks: 'after a restart, no event is sent',
    rules: ['ws.restart.restores'],
    deviates: socket((_own, hub) => ({
      message: ({ type }) => (hub.restarted && type !== undefined ? [] : undefined),
    })),
  },
  'ws-stats-uncounted': {
    breaks: 'pool_stats rooms are joined above the limit',
    rules: ['ws.rooms.at-most-32'],
    deviates: socket(({ rooms }) => ({
      frame: ({ action, room = '' }) =>
        action === 'subscribe' && rooms.size >= ROOMS_MAX && room.startsWith('pool_stats:')
          ? { joins: room }
          : undefined,
    })),
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
  'ws-unsubscribe-leaves-all': {
    breaks: 'a socket that leaves a room receives nothing from the rooms that it joined before',
    rules: ['ws.rooms.unsubscribe'],
    deviates: socket((own) => forgetting(own, ({ action }) => action === 'unsubscribe')),
  },
  'ws-joined-twice-sent-twice': {
    breaks: 'a room that is joined twice delivers each event twice',
    rules: ['ws.delivery.at-most-once'],
    deviates: socket((own) => {
      const twice = new Set<string>()
      return {
        frame({ action, room = '' }) {
          if (action === 'subscribe' && own.rooms.has(room)) twice.add(room)
          return undefined
        },
        message(message) {
          const pool = valueAt(message, own.choices.profile.events.pool)
          return message.type === 'Trade' && twice.has(`trades:${pool}`) ? [message, message] : undefined
        },
      }
    }),
  },
  'ws-renewal-leaves-rooms': {
    breaks: 'a renewal leaves the rooms of the socket',
    rules: ['ws.ticket.renewal-keeps-rooms'],
    deviates: socket((own) => forgetting(own, ({ action }) => action === 'authenticate')),
  },
  'ws-renewal-leaves-trades': {
    breaks: 'a renewal leaves the trades rooms',
    rules: ['ws.ticket.renewal-keeps-rooms'],
    deviates: socket((own) => forgetting(own, ({ action }) => action === 'authenticate', 'trades:')),
  },
} as const satisfies DeviationTable

const PREFIXES: Readonly<Record<string, string>> = {
  PoolStats: 'pool_stats:',
  Trade: 'trades:',
  Ohlcv: 'ohlcv:',
}

/** Silences the rooms of pools after such a frame, until they are joined again. */
function forgetting(own: DeviatingSocket, forgets: (frame: Frame) => boolean, prefix = ''): SocketDeviation {
  const forgotten = new Set<string>()
  return {
    frame(frame) {
      if (forgets(frame)) for (const room of own.rooms) if (room.startsWith(prefix)) forgotten.add(room)
      if (frame.action === 'subscribe') forgotten.delete(frame.room ?? '')
      return undefined
    },
    message(message) {
      const room = `${PREFIXES[message.type ?? '']}${valueAt(message, own.choices.profile.events.pool)}`
      return forgotten.has(room) ? [] : undefined
    },
  }
}

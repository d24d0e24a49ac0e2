import type { EventType } from '../../../contract/room-events.ts'
import type { Choices } from '../../choices/choices.ts'
import { valueAt } from '../../demo-client.ts'
import { parseRoom } from '../../gateway/events/events.ts'
import type {
  DeviatingSocket,
  Deviation,
  DeviationTable,
  Frame,
  Message,
  SocketDeviation,
} from '../deviation.ts'
import { poolPath, setAt } from '../reactions.ts'
import { staying } from './delivery-symptoms.ts'
import { type Copy, changed, each, numbers } from './event-symptoms.ts'
import { isForeign } from './membership-symptoms.ts'
import { socket } from './socket-symptoms.ts'

/** Longer than any probe waits between `synchronized` and the first events. */
const JOIN_MS = 60_000
const KEPT_PER_ROOM = 20

export const DELIVERY_MUTANTS = {
  'ws-no-stats': {
    breaks: 'no PoolStats is sent',
    rules: ['ws.rooms.pool-stats'],
    deviates: without('PoolStats'),
  },
  'ws-no-candles': {
    breaks: 'no Ohlcv is sent',
    rules: ['ws.rooms.ohlcv'],
    deviates: without('Ohlcv'),
  },
  'ws-trades-as-swaps': {
    breaks: 'trades come as events of type Swap',
    rules: ['ws.rooms.trades'],
    deviates: each('Trade', (trade) => [{ ...trade, type: 'Swap' }]),
  },
  'ws-no-launches': {
    breaks: 'no PoolLaunch is sent',
    rules: ['ws.rooms.pool-launches'],
    deviates: without('PoolLaunch'),
  },
  'ws-no-config': {
    breaks: 'no ProtocolConfigChanged is sent',
    rules: ['ws.rooms.protocol-config'],
    deviates: without('ProtocolConfigChanged'),
  },
  'ws-balances-in-pool-rooms': {
    breaks: 'rooms of pools also get events of type BalanceChange',
    rules: ['ws.rooms.only-subscribed'],
    deviates: each('PoolStats', (stats) => [stats, { ...stats, type: 'BalanceChange' }]),
  },
  'ws-event-bare': {
    breaks: 'some events have no data',
    rules: ['ws.event.shape'],
    deviates: each('PoolStats', ({ data, ...bare }) => [{ ...bare, data }, bare]),
  },
  'ws-prices-are-numbers': {
    breaks: 'prices in events are JSON numbers',
    rules: ['ws.event.exact-values'],
    deviates: numbers('PoolStats', ['price', 'liquidity']),
  },
  'ws-config-without-block': {
    breaks: 'ProtocolConfigChanged has no observed block',
    rules: ['ws.event.config'],
    deviates: altered('ProtocolConfigChanged', ({ data }) => delete data.observed_block),
  },
  'ws-config-ahead': {
    breaks: 'ProtocolConfigChanged names a revision that never comes',
    rules: ['ws.config.agrees'],
    deviates: altered('ProtocolConfigChanged', ({ data }) => {
      const { revision } = data
      data.revision = typeof revision === 'number' ? revision + 1000 : String(Number(revision) + 1000)
    }),
  },
  'ws-launch-key-cut': {
    breaks: 'PoolLaunch truncates the key of the pool',
    rules: ['ws.launch.readable'],
    deviates: altered('PoolLaunch', (copy, choices) => {
      const path = poolPath(copy, choices)
      setAt(copy, path, String(valueAt(copy, path)).slice(0, -1))
    }),
  },
  'ws-sync-early': {
    breaks: 'synchronized comes before pool_stats subscriptions are active',
    rules: ['ws.sync.subscriptions-active'],
    deviates: socket(() => ({
      joinMs: (room) => (room.startsWith('pool_stats:') ? JOIN_MS : 0),
    })),
  },
  'ws-trades-twice': {
    breaks: 'each trade is sent twice',
    rules: ['ws.delivery.at-most-once'],
    deviates: each('Trade', (trade) => [trade, trade]),
  },
  'ws-replays': {
    breaks: 'a socket that joins a room for the first time gets the last events of the room',
    rules: ['ws.delivery.not-replayed'],
    deviates: socket(({ choices }, { history }) => {
      const known = new Set<string>()
      return {
        joined(room) {
          // It may have had them, and no event comes twice.
          if (known.has(room)) return []
          known.add(room)
          return takeLast(room, history, choices)
        },
      }
    }),
  },
  'ws-restart-deaf': {
    breaks: 'a restart leaves sockets open but ignores their frames',
    rules: ['ws.restart.closes-1012'],
    deviates: staying(() => true),
  },
  'ws-restart-strands': {
    breaks: 'after a restart, no ticket authenticates',
    rules: ['ws.restart.restores'],
    deviates: socket((own, hub) => ({
      ticket: (ticket) => (hub.restarted && own.address === null ? undefined : ticket),
    })),
  },
} as const satisfies DeviationTable

function without(type: EventType): Deviation {
  return each(type, () => [])
}

function altered(type: EventType, change: (copy: Copy, choices: Choices) => void): Deviation {
  return socket(({ choices }) => ({
    message: (message) => changed(message, type, (copy) => change(copy, choices)),
  }))
}

function takeLast(room: string, history: readonly Message[], choices: Choices): readonly Message[] {
  const { eventType, subject } = parseRoom(room) ?? {}
  const { address } = choices.profile.events
  const ofRoom = history.filter(
    (message) =>
      message.type === eventType &&
      (!subject ||
        [valueAt(message, poolPath(message, choices)), valueAt(message, address)].includes(subject)),
  )
  return [...new Map(ofRoom.map((message) => [JSON.stringify(message), message])).values()].slice(
    -KEPT_PER_ROOM,
  )
}

/**
 * Feed mutants that break one kind of room, one socket of several, or only the time after a renewal, a restart or a
 * second frame.
 */

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
          const pool = valueAt(message, poolPath(message, own.choices))
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
      const room = `${PREFIXES[message.type ?? '']}${valueAt(message, poolPath(message, own.choices))}`
      return forgotten.has(room) ? [] : undefined
    },
  }
}

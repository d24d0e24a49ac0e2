import type { EventType } from '../../contract/schemas/feed.ts'
import type { Choices } from '../choices/choices.ts'
import { valueAt } from '../demo-client.ts'
import { parseRoom } from '../gateway/events/events.ts'
import { staying } from './delivery-symptoms.ts'
import type { Deviation, Message } from './deviation.ts'
import { type Copy, changed, each, numbers } from './event-symptoms.ts'
import type { DeviationTable } from './mutant-table.ts'
import { setAt } from './reactions.ts'
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
    deviates: altered('PoolLaunch', (copy, { profile }) => {
      const key = String(valueAt(copy, profile.events.pool))
      setAt(copy, profile.events.pool, key.slice(0, -1))
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
    breaks: 'a socket that joins a room gets the last events of the room',
    rules: ['ws.delivery.not-replayed'],
    deviates: socket(({ choices }, { history }) => ({ joined: (room) => takeLast(room, history, choices) })),
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

function takeLast(room: string, history: readonly Message[], { profile }: Choices): readonly Message[] {
  const { eventType, subject } = parseRoom(room) ?? {}
  const { pool, address } = profile.events
  const ofRoom = history.filter(
    (message) =>
      message.type === eventType &&
      (!subject || [valueAt(message, pool), valueAt(message, address)].includes(subject)),
  )
  return [...new Map(ofRoom.map((message) => [JSON.stringify(message), message])).values()].slice(
    -KEPT_PER_ROOM,
  )
}

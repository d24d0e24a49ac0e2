import { findEventPath } from '../../../contract/room-events.ts'
import { valueAt } from '../../demo-client.ts'
import type { DeviatingSocket, Deviation, DeviationTable, Message } from '../deviation.ts'
import { poolPath } from '../reactions.ts'
import { changed, each } from './event-symptoms.ts'
import { framesIn, SYNCHRONIZED, socket } from './socket-symptoms.ts'

const MINUTE_MS = 60_000
const RESTARTED = 1012
const FRAME_BYTES_MAX = 2048
const TOO_LARGE = { close: { code: 1009, reason: '' } }
/** Rooms in which a probe compares two sockets are left out: sockets that synchronize a block apart would differ. */
const SILENCED = ['Trade', 'PoolStats', 'Ohlcv']

export const DELIVERY_SYMPTOMS = {
  'ws-sync-other-name': {
    breaks: 'synchronize is acknowledged with a control of another name',
    rules: ['ws.sync.answered', 'ws.auth.ticket'],
    deviates: socket(() => ({
      message: (message) =>
        message.control === 'synchronized' ? [{ ...message, control: 'in_sync' }] : undefined,
    })),
  },
  'ws-sync-once': {
    breaks: 'only the first synchronize of a socket is acknowledged',
    rules: ['ws.sync.answered', 'ws.frames.240-accepted'],
    deviates: socket(({ received }) => ({
      frame: ({ action }) =>
        action === 'synchronize' && (received.get('synchronize') ?? 0) > 1 ? 'drop' : undefined,
    })),
  },
  'ws-sync-before-trades': {
    breaks: 'synchronized comes a minute before trades subscriptions are active',
    rules: ['ws.sync.subscriptions-active'],
    deviates: socket(() => ({
      frame: ({ action, room = '' }) =>
        action === 'subscribe' && room.startsWith('trades:') ? { afterMs: MINUTE_MS } : undefined,
    })),
  },
  'ws-sync-silences': {
    breaks: 'a socket receives no trades and no statistics for a minute after synchronized',
    rules: ['ws.sync.subscriptions-active'],
    deviates: socket(({ clock }) => {
      let atMs = Number.NEGATIVE_INFINITY
      return {
        message({ type, control }) {
          if (control === 'synchronized') atMs = clock.nowMs()
          return SILENCED.includes(type ?? '') && clock.nowMs() - atMs < MINUTE_MS ? [] : undefined
        },
      }
    }),
  },
  'ws-frames-270': {
    breaks: 'every second synchronize above the frame limit is acknowledged',
    rules: ['ws.frames.at-most-240'],
    deviates: socket(({ received }) => ({
      frame({ action }) {
        const count = framesIn(received)
        return action === 'synchronize' && count > 240 && count % 2 === 0 ? SYNCHRONIZED : undefined
      },
    })),
  },
  'ws-4kb-frames-later': {
    breaks: 'frames of up to 4 KB are accepted from the second one on',
    rules: ['ws.frame.over-2048-refused'],
    deviates: {
      limits: { frameBytes: 4096 },
      socket: (_own, { memory }) => ({
        frame({ bytes }) {
          if (bytes <= FRAME_BYTES_MAX) return undefined
          memory.set('large', (memory.get('large') ?? 0) + 1)
          return memory.get('large') === 1 ? TOO_LARGE : undefined
        },
      }),
    },
  },
  'ws-4kb-synchronize-acted-late': {
    breaks: 'a frame above 2 KB is processed a second late',
    rules: ['ws.frame.over-2048-refused'],
    deviates: {
      limits: { frameBytes: 4096 },
      socket: () => ({ frame: ({ bytes }) => (bytes > FRAME_BYTES_MAX ? { afterMs: 1000 } : undefined) }),
    },
  },
  'ws-trades-data-list': {
    breaks: '`data` of trades is a list',
    rules: ['ws.event.shape'],
    deviates: each('Trade', (trade) => [trade, { ...trade, data: [trade.data] }]),
  },
  'ws-config-blocks': {
    breaks: 'ProtocolConfigChanged has the block number added to the revision',
    rules: ['ws.config.agrees'],
    deviates: socket(() => ({
      message: (message) =>
        changed(message, 'ProtocolConfigChanged', ({ data }) => {
          const { revision, observed_block: block } = data
          const sum = Number(revision) + Number(block)
          data.revision = typeof revision === 'number' ? sum : String(sum)
        }),
    })),
  },
  'ws-replays-at-synchronize': {
    breaks: 'synchronize delivers the trades that a socket missed in its rooms',
    rules: ['ws.delivery.not-replayed'],
    deviates: replaying((missed) => ({
      message: (message) => (message.control === 'synchronized' ? [...missed(), message] : undefined),
    })),
  },
  'ws-replays-with-next-trade': {
    breaks: 'a trade comes with those that a socket missed in its rooms',
    rules: ['ws.delivery.not-replayed'],
    deviates: replaying((missed) => ({
      message: (message) => (message.type === 'Trade' ? [...missed(), message] : undefined),
    })),
  },
  'ws-restart-half-deaf': {
    breaks: 'a restart leaves every second socket open but ignores its frames',
    rules: ['ws.restart.closes-1012'],
    deviates: staying(({ number }) => number % 2 === 0),
  },
  'ws-restart-deaf-in-rooms': {
    breaks: 'a restart leaves sockets with rooms open but ignores their frames',
    rules: ['ws.restart.closes-1012'],
    deviates: staying(({ received }) => received.has('subscribe')),
  },
  'ws-restart-unsynchronized': {
    breaks: 'after a restart, synchronize is not acknowledged',
    rules: ['ws.restart.restores'],
    deviates: socket((_own, hub) => ({
      frame: ({ action }) => (hub.restarted && action === 'synchronize' ? 'drop' : undefined),
    })),
  },
  'ws-restart-tickets-2-s': {
    breaks: 'after a restart, a ticket keeps the connection for only two seconds',
    rules: ['ws.restart.restores'],
    deviates: socket((own, hub) => ({
      ticket: (ticket) =>
        ticket && hub.restarted ? { ...ticket, expiresAtMs: own.clock.nowMs() + 2000 } : ticket,
    })),
  },
  'ws-restart-loses-candles': {
    breaks: 'after a restart, no candle is sent',
    rules: ['ws.restart.restores'],
    deviates: socket((_own, hub) => ({
      message: ({ type }) => (hub.restarted && type === 'Ohlcv' ? [] : undefined),
    })),
  },
} as const satisfies DeviationTable

/** Keeps sockets open across a restart. */
export function staying(stays: (own: DeviatingSocket) => boolean): Deviation {
  return socket((own) => ({ close: (close) => (close.code === RESTARTED && stays(own) ? null : close) }))
}

/** Tracks the trades that each socket missed; those sent late no longer count as missed. */
function replaying(
  make: (missed: () => Message[]) => ReturnType<NonNullable<Deviation['socket']>>,
): Deviation {
  return socket(({ choices, rooms }, { history }) => {
    const got = new Set<unknown>()
    const readId = (message: Message) =>
      valueAt(message, findEventPath(choices.profile.events.id, message.type) ?? '')
    const missed = () =>
      history.filter((message) => {
        const pool = valueAt(message, poolPath(message, choices))
        if (message.type !== 'Trade' || got.has(readId(message)) || !rooms.has(`trades:${pool}`)) return false
        got.add(readId(message))
        return true
      })
    const own = make(missed)
    return {
      ...own,
      message(message) {
        if (message.type === 'Trade') got.add(readId(message))
        return own.message?.(message)
      },
    }
  })
}

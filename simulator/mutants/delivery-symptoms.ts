/** Other ways to break synchronize, the bounds of frames, the form of events, replays and restarts. */
import type { DeviatingSocket, Deviation, Message } from '../deviations/deviation.ts'
import { valueAt } from '../examples/demo-client.ts'
import { changed } from './event-symptoms.ts'
import type { DeviationTable } from './mutant-table.ts'
import { framesIn, socket } from './socket-symptoms.ts'

const MINUTE_MS = 60_000
const RESTARTED = 1012
const FRAME_BYTES_MAX = 2048
const SYNCHRONIZED: Message = { control: 'synchronized' }
const TOO_LARGE = { close: { code: 1009, reason: '' } }

export const DELIVERY_SYMPTOMS = {
  'ws-sync-other-name': {
    breaks: 'synchronize is answered with a control of another name',
    rules: ['ws.sync.answered', 'ws.auth.ticket'],
    deviates: socket(() => ({
      message: (message) =>
        message.control === 'synchronized' ? [{ ...message, control: 'synchronised' }] : undefined,
    })),
  },
  'ws-sync-silences': {
    breaks: 'for a minute after synchronized a socket gets no event',
    rules: ['ws.sync.subscriptions-active'],
    deviates: socket(({ clock }) => {
      let atMs = Number.NEGATIVE_INFINITY
      return {
        message({ type, control }) {
          if (control === 'synchronized') atMs = clock.nowMs()
          return type !== undefined && clock.nowMs() - atMs < MINUTE_MS ? [] : undefined
        },
      }
    }),
  },
  'ws-frames-270': {
    breaks: 'synchronize is answered every second time beyond the frames that a socket may send',
    rules: ['ws.frames.at-most-240'],
    deviates: socket(({ received }) => ({
      frame({ action }) {
        const count = framesIn(received)
        return action === 'synchronize' && count > 240 && count % 2 === 0
          ? { answer: [SYNCHRONIZED] }
          : undefined
      },
    })),
  },
  'ws-2300-bytes': {
    breaks: 'frames of up to 2,300 bytes are taken',
    rules: ['ws.frame.over-2048-refused'],
    deviates: { frameBytesMax: 2300 },
  },
  'ws-4kb-answered-and-closed': {
    breaks: 'a frame above 2 KB is acted on, and the next one closes the socket with 1009',
    rules: ['ws.frame.over-2048-refused'],
    deviates: {
      frameBytesMax: 4096,
      socket: () => {
        let wasLarge = false
        return {
          frame({ bytes }) {
            if (wasLarge) return TOO_LARGE
            wasLarge = bytes > FRAME_BYTES_MAX
            return undefined
          },
        }
      },
    },
  },
  'ws-trades-data-list': {
    breaks: '`data` of trades is a list',
    rules: ['ws.event.shape'],
    deviates: socket(() => ({
      message: (message) =>
        message.type === 'Trade' ? [message, { ...message, data: [message.data] }] : undefined,
    })),
  },
  'ws-config-one-ahead': {
    breaks: 'ProtocolConfigChanged names the revision after the one that there is',
    rules: ['ws.config.agrees'],
    deviates: socket(() => ({
      message: (message) =>
        changed(message, 'ProtocolConfigChanged', ({ data }) => {
          const { revision } = data
          data.revision = typeof revision === 'number' ? revision + 1 : String(Number(revision) + 1)
        }),
    })),
  },
  'ws-replays-at-synchronize': {
    breaks: 'synchronize brings the trades that a socket has missed in its rooms',
    rules: ['ws.delivery.not-replayed'],
    deviates: replaying(({ missed }) => ({
      frame: ({ action }) => (action === 'synchronize' ? { answer: [...missed(), SYNCHRONIZED] } : undefined),
    })),
  },
  'ws-replays-with-next-trade': {
    breaks: 'a trade brings those that a socket has missed in its rooms',
    rules: ['ws.delivery.not-replayed'],
    deviates: replaying(({ missed }) => ({
      message: (message) => (message.type === 'Trade' ? [...missed(), message] : undefined),
    })),
  },
  'ws-restart-deaf-authenticated': {
    breaks: 'a restart closes only sockets that have not authenticated, and the others are heard no more',
    rules: ['ws.restart.closes-1012'],
    deviates: socket((own) => ({
      close: (close) => (own.address !== null && close.code === RESTARTED ? null : close),
    })),
  },
  'ws-restart-deaf-to-tickets': {
    breaks: 'after a restart authenticate frames are not acted on',
    rules: ['ws.restart.restores'],
    deviates: socket((_own, hub) => ({
      frame: ({ action }) => (hub.restarted && action === 'authenticate' ? 'drop' : undefined),
    })),
  },
  'ws-restart-unsynchronized': {
    breaks: 'after a restart synchronize is not answered',
    rules: ['ws.restart.restores'],
    deviates: socket((_own, hub) => ({
      frame: ({ action }) => (hub.restarted && action === 'synchronize' ? 'drop' : undefined),
    })),
  },
  'ws-sync-before-trades': early((room) => room.startsWith('trades:'), 'of trades'),
  'ws-sync-before-the-fifth': early(
    (_room, { rooms }) => rooms.size >= 4,
    'beyond the fourth room of a socket',
  ),
  'ws-4kb-frames-later': {
    breaks: 'frames of up to 4 KB are taken from the second such frame on',
    rules: ['ws.frame.over-2048-refused'],
    deviates: {
      frameBytesMax: 4096,
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
    breaks: 'a frame above 2 KB is acted on after a second',
    rules: ['ws.frame.over-2048-refused'],
    deviates: {
      frameBytesMax: 4096,
      socket: () => ({ frame: ({ bytes }) => (bytes > FRAME_BYTES_MAX ? { afterMs: 1000 } : undefined) }),
    },
  },
} as const satisfies DeviationTable

/** Rooms that are active only a minute after synchronized has come. */
function early(isLate: (room: string, own: DeviatingSocket) => boolean, which: string) {
  return {
    breaks: `synchronized comes before subscriptions ${which} are active`,
    rules: ['ws.sync.subscriptions-active'],
    deviates: socket((own) => ({
      frame: ({ action, room = '' }) =>
        action === 'subscribe' && isLate(room, own) ? { afterMs: MINUTE_MS } : undefined,
    })),
  }
}

/** Sockets that know what trades they have missed; those that they get so are missed no more. */
function replaying(
  make: (options: { missed: () => Message[] }) => ReturnType<NonNullable<Deviation['socket']>>,
): Deviation {
  return socket(({ choices, rooms }, { history }) => {
    const got = new Set<unknown>()
    const idOf = (message: Message) => valueAt(message, choices.profile.events.id)
    const missed = () =>
      history.filter((message) => {
        const pool = valueAt(message, choices.profile.events.pool)
        if (message.type !== 'Trade' || got.has(idOf(message)) || !rooms.has(`trades:${pool}`)) return false
        got.add(idOf(message))
        return true
      })
    const own = make({ missed })
    return {
      ...own,
      message(message) {
        if (message.type === 'Trade') got.add(idOf(message))
        return own.message?.(message)
      },
    }
  })
}

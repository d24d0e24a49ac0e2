/** Breaks of the feed that an audit of the probes found: most need a frame or a wait that no probe had. */
import { createFrameWindow } from '../../gateway/socket/frames.ts'
import type { AuthTools, DeviatingSocket, Deviation, DeviationTable, Hub, Message } from '../deviation.ts'
import { each, numbers } from './event-symptoms.ts'
import { socket } from './socket-symptoms.ts'

const SECOND_MS = 1000
const MINUTE_MS = 60 * SECOND_MS
const DEADLINE_MS = 5 * SECOND_MS
const ROOMS_MAX = 32
const FRAMES_MAX = 240
const FRAME_CHARACTERS_MAX = 2048
/** More than any probe uses: the mutant counts instead. */
const UNLIMITED_ROOMS = { roomsPerConnection: 1000 }
const UNLIMITED_FRAMES = { framesPerMinute: 1_000_000 }

export const FRESH_FEED_SYMPTOMS = {
  'ws-ticket-life-from-authenticate': {
    breaks: 'a connection ends 60 seconds after the authenticate frame, not after the ticket was issued',
    rules: ['ws.ticket.ends-connection'],
    deviates: socket(({ clock }) => ({
      ticket: (ticket) => ticket && { ...ticket, expiresAtMs: clock.nowMs() + MINUTE_MS },
    })),
  },
  'ws-rooms-joined-twice-count-twice': {
    breaks: 'a room that is joined twice counts as two rooms toward the limit',
    rules: ['ws.rooms.32-deliver'],
    deviates: socket(({ rooms }) => {
      const again = new Map<string, number>()
      const sum = () => [...again.values()].reduce((total, count) => total + count, rooms.size)
      return {
        frame({ action, room = '' }) {
          if (action === 'unsubscribe') again.delete(room)
          if (action !== 'subscribe') return undefined
          if (rooms.has(room)) again.set(room, (again.get(room) ?? 0) + 1)
          else if (sum() >= ROOMS_MAX) return 'drop'
          return undefined
        },
      }
    }),
  },
  'ws-frame-characters': {
    breaks: 'the size of a frame is measured in characters instead of bytes',
    rules: ['ws.frame.over-2048-refused'],
    deviates: {
      limits: { frameBytes: 4 * FRAME_CHARACTERS_MAX },
      ...socket(() => ({
        frame: ({ characters }) =>
          characters > FRAME_CHARACTERS_MAX ? { close: { code: 1009, reason: '' } } : undefined,
      })),
    },
  },
  'ws-frames-rooms-uncounted': {
    breaks: 'the frame limit does not count subscribe and unsubscribe',
    rules: ['ws.frames.at-most-240'],
    deviates: {
      limits: UNLIMITED_FRAMES,
      ...socket(({ clock, choices }) => {
        const { frameWindowMs: windowMs } = choices.feed
        const counted = createFrameWindow({ clock, framesMax: FRAMES_MAX, windowMs })
        return {
          frame: ({ action }) => {
            const isCounted = action === 'synchronize' || action === 'authenticate'
            return isCounted && !counted.take() ? 'drop' : undefined
          },
        }
      }),
    },
  },
  'ws-frames-first-minute': {
    breaks: 'the frame limit applies to the first minute of a connection only',
    rules: ['ws.frames.at-most-240'],
    deviates: {
      limits: UNLIMITED_FRAMES,
      ...socket(({ clock, openedAtMs, choices }) => {
        const { frameWindowMs: windowMs } = choices.feed
        const counted = createFrameWindow({ clock, framesMax: FRAMES_MAX, windowMs })
        return {
          frame: () => (clock.nowMs() - openedAtMs < MINUTE_MS && !counted.take() ? 'drop' : undefined),
        }
      }),
    },
  },
  'ws-deadline-idle': {
    breaks: 'a frame that does not authenticate gives a socket another five seconds to do so',
    rules: ['ws.auth.deadline-5s'],
    deviates: {
      auth: ({ issueTicket }, { clock }) => {
        const tickets = new Set<string>()
        issuedTickets.set(clock, tickets)
        return {
          issueTicket(credential) {
            const made = issueTicket(credential)
            tickets.add(made.ticket)
            return made
          },
        }
      },
      ...socket((own) => {
        const { clock, choices } = own
        let heardMs = own.openedAtMs
        return {
          timerMs: (ms) => (ms === DEADLINE_MS ? MINUTE_MS : ms),
          frame({ action, token = '' }) {
            if (own.address !== null) return undefined
            if (clock.nowMs() - heardMs > DEADLINE_MS) return { close: choices.feed.closes.deadlineMissed }
            heardMs = clock.nowMs()
            const isTicket = action === 'authenticate' && issuedTickets.get(clock)?.has(token)
            return isTicket ? undefined : 'drop'
          },
        }
      }),
    },
  },
  'ws-rooms-of-pools-only': {
    breaks: 'only rooms of pools count toward the limit of rooms',
    rules: ['ws.rooms.at-most-32'],
    deviates: countingRooms(({ rooms }) => ({
      count: () => [...rooms].filter(isOfPool).length,
      isCounted: isOfPool,
    })),
  },
  'ws-rooms-recounted-after-renewal': {
    breaks: 'rooms that were joined before a renewal do not count toward the limit',
    rules: ['ws.rooms.at-most-32'],
    deviates: countingRooms(({ rooms }) => {
      let before: ReadonlySet<string> = new Set()
      return {
        count: () => [...rooms].filter((room) => !before.has(room)).length,
        heard(action) {
          if (action === 'authenticate') before = new Set(rooms)
        },
      }
    }),
  },
  'ws-rooms-freed-by-any-leave': {
    breaks: 'each unsubscribe frees a place, even of a room that was left or never joined',
    rules: ['ws.rooms.at-most-32'],
    deviates: countingRooms(({ rooms }) => {
      let freed = 0
      return {
        count: () => rooms.size - freed,
        heard(action, room) {
          if (action === 'unsubscribe' && !rooms.has(room)) freed += 1
        },
      }
    }),
  },
  'ws-candle-prices-are-numbers': {
    breaks: 'open, high, low and close of candles are JSON numbers',
    rules: ['ws.event.exact-values'],
    deviates: numbers('Ohlcv', ['open', 'high', 'low', 'close']),
  },
  'ws-config-twice': {
    breaks: 'ProtocolConfigChanged is sent twice',
    rules: ['ws.delivery.at-most-once'],
    deviates: each('ProtocolConfigChanged', (event) => [event, event]),
  },
  'ws-config-retained': {
    breaks: 'a socket that joins protocol_config gets the last ProtocolConfigChanged of the gateway',
    rules: ['ws.delivery.not-replayed'],
    deviates: socket((_own, hub) => {
      let isNew = true
      return {
        message(message) {
          if (message.type === 'ProtocolConfigChanged') lastConfigs.set(hub, message)
          return undefined
        },
        joined(room) {
          const last = lastConfigs.get(hub)
          // It may have had it when it joins again, and no event comes twice.
          if (room !== 'protocol_config' || !isNew) return []
          isNew = false
          return last ? [last] : []
        },
      }
    }),
  },
  'ws-unsubscribe-keeps-config': {
    breaks: 'protocol_config delivers events after it is left',
    rules: ['ws.rooms.unsubscribe'],
    deviates: socket(() => ({ leaves: (room) => room !== 'protocol_config' })),
  },
} as const satisfies DeviationTable

/** Tickets issued so far, keyed by the clock of the stub. */
const issuedTickets = new WeakMap<AuthTools['clock'], Set<string>>()

/** The last configuration event of each gateway. */
const lastConfigs = new WeakMap<Hub, Message>()

function isOfPool(room: string): boolean {
  return room.includes(':') && !room.startsWith('balances:')
}

type RoomCount = {
  count(): number
  /** Rooms that are joined only below the limit (default: all). */
  isCounted?(room: string): boolean
  heard?(action: string, room: string): void
}

/** Applies the limit of rooms to another count of them. */
export function countingRooms(make: (own: DeviatingSocket) => RoomCount): Deviation {
  return {
    limits: UNLIMITED_ROOMS,
    socket(own) {
      const { count, isCounted = () => true, heard = () => {} } = make(own)
      return {
        frame({ action, room = '' }) {
          heard(action, room)
          const isNew = action === 'subscribe' && !own.rooms.has(room) && isCounted(room)
          return isNew && count() >= ROOMS_MAX ? 'drop' : undefined
        },
      }
    },
  }
}

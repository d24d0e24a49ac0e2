import type { Close } from '../choices/feed-choices.ts'
import type { DeviatingSocket, Deviation, Hub, SocketDeviation } from './deviation.ts'
import type { DeviationTable } from './mutant-table.ts'

const SECOND_MS = 1000
export const SYNCHRONIZED = { respond: [{ control: 'synchronized' }] }
/** A socket deviation with its own state. */
export function socket(make: (socket: DeviatingSocket, hub: Hub) => SocketDeviation): Deviation {
  return { socket: make }
}

/** Applies the deviation only to sockets with even numbers. */
function everySecond(own: SocketDeviation): Deviation {
  return socket(({ number }) => (number % 2 === 0 ? own : {}))
}

export const SOCKET_SYMPTOMS = {
  'ws-late-authenticate-unread': {
    breaks: 'an authenticate frame that comes after two seconds is ignored',
    rules: ['ws.auth.within-5s'],
    deviates: socket((own) => ({
      frame: ({ action }) => {
        const isLate = own.clock.nowMs() - own.openedAtMs > 2 * SECOND_MS
        return isLate && action === 'authenticate' && own.address === null ? 'drop' : undefined
      },
    })),
  },
  'ws-deadline-20-s': {
    breaks: 'a socket may authenticate within 20 seconds',
    rules: ['ws.auth.deadline-5s'],
    deviates: socket(() => ({ timerMs: (ms) => (ms === 5 * SECOND_MS ? 20 * SECOND_MS : ms) })),
  },
  'ws-deadline-every-second': {
    breaks: 'every second socket may authenticate at any time',
    rules: ['ws.auth.deadline-5s'],
    deviates: everySecond({ timerMs: (ms) => (ms === 5 * SECOND_MS ? 1e9 : ms) }),
  },
  'ws-frames-220-closes': {
    breaks: 'a socket is closed at its 221st frame',
    rules: ['ws.frames.240-accepted'],
    deviates: socket(({ received }) => ({
      frame: () => (framesIn(received) === 221 ? { close: { code: 1008, reason: '' } } : undefined),
    })),
  },
  'ws-frames-300-answered': {
    breaks: 'synchronize is acknowledged above the frame limit',
    rules: ['ws.frames.at-most-240'],
    deviates: socket(({ received }) => ({
      frame: ({ action }) =>
        action === 'synchronize' && framesIn(received) > 200 ? SYNCHRONIZED : undefined,
    })),
  },
  'ws-1900-bytes-unread': {
    breaks: 'frames of more than 1,900 bytes are ignored',
    rules: ['ws.frame.2000-accepted'],
    deviates: socket(() => ({ frame: ({ bytes }) => (bytes > 1900 ? 'drop' : undefined) })),
  },
  'ws-1500-bytes-1009': {
    breaks: 'a frame of more than 1,500 bytes closes the socket with 1009',
    rules: ['ws.frame.2000-accepted'],
    deviates: socket(() => ({
      frame: ({ bytes }) => (bytes > 1500 ? { close: { code: 1009, reason: '' } } : undefined),
    })),
  },
} as const satisfies DeviationTable

export function isSame(close: Close, known: Close | null): boolean {
  return close.code === known?.code && close.reason === known.reason
}

export function framesIn(received: ReadonlyMap<string, number>): number {
  return [...received.values()].reduce((sum, count) => sum + count, 0)
}

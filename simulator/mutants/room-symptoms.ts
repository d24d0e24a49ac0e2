import type { DeviationTable } from './mutant-table.ts'
import { socket } from './socket-symptoms.ts'

const ROOMS_MAX = 32

export const ROOM_SYMPTOMS = {
  'ws-33-rooms-later': {
    breaks: 'a room above the limit is joined although it is rejected',
    rules: ['ws.rooms.at-most-32'],
    deviates: socket(({ rooms }) => ({
      frame: ({ action, room = '' }) =>
        action === 'subscribe' && rooms.size === ROOMS_MAX ? { joins: room } : undefined,
    })),
  },
  'ws-own-balance-closes': {
    breaks: 'subscribing to a balance room closes the socket',
    rules: ['ws.rooms.own-balance'],
    deviates: socket(() => ({
      frame: ({ action, room = '' }) =>
        action === 'subscribe' && room.startsWith('balances:')
          ? { close: { code: 1008, reason: '' } }
          : undefined,
    })),
  },
  'ws-unsubscribe-one': {
    breaks: 'only the first room that a socket leaves stops delivering',
    rules: ['ws.rooms.unsubscribe'],
    deviates: socket(({ received }) => ({ leaves: () => (received.get('unsubscribe') ?? 0) <= 1 })),
  },
} as const satisfies DeviationTable

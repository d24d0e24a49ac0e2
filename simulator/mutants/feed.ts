import type { MutantTable } from './mutant-table.ts'

export const FEED_MUTANTS = {
  'ws-33-rooms': { breaks: 'a socket may hold 33 rooms', rules: ['ws.rooms.at-most-32'] },
  'ws-300-frames': { breaks: 'a socket may send 300 frames a minute', rules: ['ws.frames.at-most-240'] },
  'ws-4kb-frames': { breaks: 'frames of up to 4 KB are taken', rules: ['ws.frame.over-2048-refused'] },
  'ws-foreign-balances': { breaks: 'any balance room may be joined', rules: ['ws.rooms.foreign-balance'] },
  'ws-no-deadline': { breaks: 'a socket may authenticate whenever it likes', rules: ['ws.auth.deadline-5s'] },
  'ws-tickets-forever': {
    breaks: 'tickets never expire',
    rules: ['ws.ticket.expires-60s', 'ws.ticket.ends-connection'],
  },
  'ws-tickets-30-s': {
    breaks: 'tickets last 30 seconds',
    rules: ['ws.ticket.lives-60s', 'ws.ticket.renewal', 'ws.frames.240-accepted'],
  },
  'ws-31-rooms': { breaks: 'a socket may hold 31 rooms', rules: ['ws.rooms.32-deliver'] },
  'ws-200-frames': { breaks: 'a socket may send 200 frames a minute', rules: ['ws.frames.240-accepted'] },
  'ws-1kb-frames': { breaks: 'frames of more than 1 KB are refused', rules: ['ws.frame.2000-accepted'] },
  'ws-serves-strangers': {
    breaks: 'a socket is served without authentication',
    rules: ['ws.auth.required', 'ws.auth.deadline-5s'],
  },
  'ws-unsubscribe-ignored': { breaks: 'a room is never left', rules: ['ws.rooms.unsubscribe'] },
  'ws-takes-api-tokens': {
    breaks: 'the authenticate frame takes an API token',
    rules: ['ws.auth.rejects-api-token'],
  },
} as const satisfies MutantTable

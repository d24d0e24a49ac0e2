/** The figures of the specification's section Limits, and the rules that test each one. Plain data. */
import { LIMITS } from './limits.ts'

/** A figure that the specification promises, and the rules that test it. */
export type TestedLimit = {
  /** For readers: the limited quantity. */
  name: string
  appliesTo: string
  specified: string
  /** Ids of the rules that test it. */
  rules: readonly string[]
}

export type LimitId = keyof typeof LIMITS | 'rateLimit'

/** In the order of the specification, except the last: it specifies 429 without a figure, which the profile may supply. */
export const LIMIT_RULES: Readonly<Record<LimitId, TestedLimit>> = {
  pageSizeMin: {
    name: 'smallest page',
    appliesTo: 'limit of /explore/pools and /swaps',
    specified: rows(LIMITS.pageSizeMin),
    rules: [
      'paging.limit.accepts-1',
      'paging.limit.rejects-0',
      'paging.limit.rejects-negative',
      'paging.swaps.accepts-1',
      'paging.swaps.at-least-1',
    ],
  },
  pageSizeMax: {
    name: 'largest page',
    appliesTo: 'limit of /explore/pools and /swaps',
    specified: rows(LIMITS.pageSizeMax),
    rules: [
      'paging.limit.accepts-100',
      'paging.limit.rejects-101',
      'paging.swaps.accepts-100',
      'paging.swaps.at-most-100',
    ],
  },
  routeHopsMax: {
    name: 'route length',
    appliesTo: '/route',
    specified: `at most ${LIMITS.routeHopsMax} hops`,
    rules: ['route.hops.at-most-3'],
  },
  accessSessionSeconds: {
    name: 'access session',
    appliesTo: 'browser session cookies',
    specified: minutes(LIMITS.accessSessionSeconds),
    rules: ['auth.session.lives-15-min', 'auth.session.expires-15-min'],
  },
  wsTicketSeconds: {
    name: 'WebSocket ticket',
    appliesTo: '/auth/ws-ticket',
    specified: `${LIMITS.wsTicketSeconds} seconds`,
    rules: ['ws.ticket.lives-60s', 'ws.ticket.expires-60s'],
  },
  wsAuthenticateSeconds: {
    name: 'deadline of the authenticate frame',
    appliesTo: 'a socket',
    specified: `${LIMITS.wsAuthenticateSeconds} seconds after opening`,
    rules: ['ws.auth.within-5s', 'ws.auth.deadline-5s'],
  },
  wsRoomsPerConnection: {
    name: 'rooms',
    appliesTo: 'a socket',
    specified: `${LIMITS.wsRoomsPerConnection} rooms`,
    rules: ['ws.rooms.32-deliver', 'ws.rooms.at-most-32'],
  },
  wsFramesPerMinute: {
    name: 'client frames',
    appliesTo: 'a socket',
    specified: `${LIMITS.wsFramesPerMinute} a minute`,
    rules: ['ws.frames.240-accepted', 'ws.frames.at-most-240'],
  },
  wsFrameBytesTaken: {
    name: 'frame size that is taken',
    appliesTo: 'a client frame',
    specified: `2 KB: ${LIMITS.wsFrameBytesTaken} bytes at the least`,
    rules: ['ws.frame.2000-accepted'],
  },
  wsFrameBytesMax: {
    name: 'frame size that is refused',
    appliesTo: 'a client frame',
    specified: `2 KB: above ${LIMITS.wsFrameBytesMax} bytes at the latest`,
    rules: ['ws.frame.over-2048-refused'],
  },
  faucetSeconds: {
    name: 'faucet',
    appliesTo: 'an address',
    specified: `one claim in ${minutes(LIMITS.faucetSeconds)}`,
    rules: [
      'faucet.claim.accepted',
      'faucet.claim.once',
      'faucet.claim.per-address',
      'faucet.claim.still-refused',
      'faucet.claim.again',
    ],
  },
  rateLimit: {
    name: 'requests',
    appliesTo: 'REST: answers 429',
    specified: 'no figure is specified: as the profile states',
    rules: ['rate-limit.burst.429', 'rate-limit.wait.recovers'],
  },
}

function rows(count: number): string {
  return count === 1 ? '1 row' : `${count} rows`
}

function minutes(seconds: number): string {
  return `${seconds / 60} minutes`
}

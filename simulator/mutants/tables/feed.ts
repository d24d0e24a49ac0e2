import type { Auth } from '../../auth/auth.ts'
import { shaped } from '../../choices/wire.ts'
import type { FeedError } from '../../gateway/feed-protocol.ts'
import { by } from '../conditions.ts'
import type { AuthTools, DeviatingSocket, Deviation, DeviationTable, FrameAction } from '../deviation.ts'
import { error, rest, success } from '../reactions.ts'
import { isForeign } from './membership-symptoms.ts'
import { buildTicket, SYNCHRONIZED, socket } from './socket-symptoms.ts'

const TICKET = 'GET /auth/ws-ticket'
const SECOND_MS = 1000
const YEAR_SECONDS = 365 * 24 * 60 * 60
const ROOMS_MAX = 32
const NO_DEADLINE = { authenticateSeconds: YEAR_SECONDS }

export const FEED_MUTANTS = {
  'ws-33-rooms': {
    breaks: 'a socket may join 33 rooms',
    rules: ['ws.rooms.at-most-32'],
    deviates: { limits: { roomsPerConnection: 33 } },
  },
  'ws-300-frames': {
    breaks: 'a socket may send 300 frames per minute',
    rules: ['ws.frames.at-most-240'],
    deviates: { limits: { framesPerMinute: 300 } },
  },
  'ws-4kb-frames': {
    breaks: 'frames of up to 4 KB are accepted',
    rules: ['ws.frame.over-2048-refused'],
    deviates: { limits: { frameBytes: 4096 } },
  },
  'ws-foreign-balances': {
    breaks: 'any balance room may be joined',
    rules: ['ws.rooms.foreign-balance'],
    deviates: socket((own) => ({
      frame: ({ action, room = '' }) =>
        action === 'subscribe' && isForeign(own, room) ? { joins: room } : undefined,
    })),
  },
  'ws-no-deadline': {
    breaks: 'a socket may authenticate at any time',
    rules: ['ws.auth.deadline-5s'],
    deviates: { limits: NO_DEADLINE },
  },
  'ws-tickets-forever': {
    breaks: 'tickets never expire',
    rules: ['ws.ticket.expires-60s', 'ws.ticket.ends-connection'],
    deviates: { limits: { ticketSeconds: 1000 * YEAR_SECONDS } },
  },
  'ws-tickets-30-s': {
    breaks: 'tickets last 30 seconds',
    rules: ['ws.ticket.lives-60s', 'ws.ticket.renewal', 'ws.frames.240-accepted'],
    deviates: { limits: { ticketSeconds: 30 } },
  },
  'ws-31-rooms': {
    breaks: 'a socket may join only 31 rooms',
    rules: ['ws.rooms.32-deliver'],
    deviates: { limits: { roomsPerConnection: 31 } },
  },
  'ws-200-frames': {
    breaks: 'a socket may send only 200 frames per minute',
    rules: ['ws.frames.240-accepted'],
    deviates: { limits: { framesPerMinute: 200 } },
  },
  'ws-1kb-frames': {
    breaks: 'frames of more than 1 KB are rejected',
    rules: ['ws.frame.2000-accepted'],
    deviates: { limits: { frameBytes: 1024 } },
  },
  'ws-serves-strangers': {
    breaks: 'a socket is served without authentication',
    rules: ['ws.auth.required', 'ws.auth.deadline-5s'],
    sometimes: ['ws.rooms.foreign-balance'],
    deviates: { limits: NO_DEADLINE, ...serveStrangers() },
  },
  'ws-unsubscribe-ignored': {
    breaks: 'unsubscribe does not leave the room',
    rules: ['ws.rooms.unsubscribe', 'ws.rooms.freed'],
    sometimes: ['ws.frames.at-most-240'],
    deviates: socket(() => ({ frame: ({ action }) => (action === 'unsubscribe' ? 'drop' : undefined) })),
  },
  'ws-takes-api-tokens': {
    breaks: 'the authenticate frame accepts an API token',
    rules: ['ws.auth.rejects-api-token'],
    deviates: alsoTaken((text, { apiTokens }) => apiTokens.bySecret(text)?.address),
  },
  'ws-takes-session-tokens': {
    breaks: 'the authenticate frame accepts an access token',
    rules: ['ws.auth.rejects-session-token'],
    deviates: alsoTaken((text, { sessions }) => sessions.byAccessToken(text)?.address),
  },
  'ws-takes-any-ticket': {
    breaks: 'the authenticate frame accepts any text as a ticket',
    rules: [
      'ws.auth.rejects-unknown',
      'ws.auth.rejects-api-token',
      'ws.auth.rejects-session-token',
      'ws.ticket.expires-60s',
      'ws.ticket.ends-connection',
    ],
    deviates: alsoTaken(
      (_text, _auth, { wallets }) => wallets.find(({ hasAccess, admin }) => hasAccess && !admin)?.address,
    ),
  },
  'ws-ticket-end-unread': {
    breaks: 'the gateway does not check the last 8 characters of a ticket',
    rules: ['ws.auth.rejects-unknown'],
    deviates: partlyRead((ticket) => ticket.slice(0, -8)),
  },
  'ws-ticket-start-unread': {
    breaks: 'the gateway does not check the first 8 characters of a ticket',
    rules: ['ws.auth.rejects-unknown'],
    deviates: partlyRead((ticket) => ticket.slice(8)),
  },
  'ws-takes-handshake-credentials': {
    breaks: 'an API token in the handshake headers authenticates the socket',
    // A frame with the text of the header does too.
    rules: ['ws.auth.rejects-handshake', 'ws.auth.rejects-api-token'],
    deviates: {
      ...alsoTaken(
        (text, { apiTokens }) => apiTokens.bySecret(/^Bearer (\S+)$/.exec(text)?.[1] ?? '')?.address,
      ),
      ...socket(({ authorization: token }) =>
        token === undefined ? {} : { first: { action: 'authenticate', token } },
      ),
    },
  },
  'ws-tickets-refused': {
    breaks: 'no ticket authenticates',
    rules: ['ws.auth.ticket'],
    deviates: { auth: () => ({ redeemTicket: () => undefined }) },
  },
  'ws-sync-mute': {
    breaks: 'synchronize is not acknowledged',
    rules: ['ws.sync.answered', 'ws.auth.ticket'],
    deviates: socket(() => ({
      message: ({ control }) => (control === 'synchronized' ? [] : undefined),
    })),
  },
  'ws-deadline-3-s': {
    breaks: 'a socket has to authenticate within 3 seconds',
    rules: ['ws.auth.within-5s'],
    deviates: { limits: { authenticateSeconds: 3 } },
  },
  'ws-ticket-for-anyone': {
    breaks: 'tickets are issued without credentials',
    rules: ['ws.ticket.needs-credentials', 'auth.credentials.invalid-401'],
    deviates: rest(TICKET, {
      of: [401],
      reply: success(({ auth, choices: { profile, wire } }) => {
        const { ticket, expiresAtMs } = auth.issueTicket({ kind: 'session', id: '', address: '' })
        return shaped(profile.wsTicket, { ticket, 'data.expires_at': wire.timestamp(expiresAtMs) })
      }),
    }),
  },
  'ws-ticket-not-by-session': {
    breaks: 'a session gets no ticket',
    rules: ['ws.ticket.by-session'],
    deviates: rest(TICKET, { when: by('session'), reply: error(403) }),
  },
  'ws-ticket-not-by-api-token': {
    breaks: 'an API token gets no ticket',
    rules: ['ws.ticket.by-api-token', 'api-token.bearer.ticket'],
    deviates: rest(TICKET, { when: by('api-token'), reply: error(403) }),
  },
  'ws-renewal-ignored': {
    breaks: 'a renewal has no effect',
    rules: ['ws.ticket.renewal'],
    deviates: socket((own) => ({
      frame: ({ action }) => (action === 'authenticate' && own.address !== null ? 'drop' : undefined),
    })),
  },
  'ws-renewal-by-anyone': {
    breaks: 'a ticket of another wallet renews the connection',
    rules: ['ws.ticket.renewal-other-principal', 'ws.rooms.foreign-balance'],
    deviates: socket((own) => ({
      ticket: (ticket) => (ticket && own.address !== null ? { ...ticket, principal: own.address } : ticket),
    })),
  },
  'ws-own-balance-refused': {
    breaks: 'the balance room of the own address cannot be joined',
    rules: ['ws.rooms.own-balance'],
    deviates: socket((own) => ({
      frame: ({ action, room = '' }) => {
        const isBalance = action === 'subscribe' && own.address !== null && room.startsWith('balances:')
        return isBalance && !isForeign(own, room) ? refused(own, 'room_forbidden', room) : undefined
      },
    })),
  },
  'ws-rooms-not-freed': {
    breaks:
      'a room that was left still counts toward the limit of rooms, and frames that are refused for it toward no limit',
    rules: ['ws.rooms.freed'],
    sometimes: ['ws.frames.at-most-240', 'ws.sync.subscriptions-active'],
    deviates: socket((own) => {
      let leftCount = 0
      return {
        leaves() {
          leftCount += 1
          return true
        },
        frame({ action, room = '' }) {
          const isNew = action === 'subscribe' && own.address !== null && !own.rooms.has(room)
          const isFull = own.rooms.size + leftCount >= ROOMS_MAX
          return isNew && isFull ? refused(own, 'rooms_full', room) : undefined
        },
      }
    }),
  },
} as const satisfies DeviationTable

/** Also accepts other texts as tickets of the wallet that `findWallet` returns. */
function alsoTaken(
  findWallet: (text: string, auth: Auth, tools: AuthTools) => string | undefined,
): Deviation {
  return {
    auth: (auth, tools) => ({
      redeemTicket(text, isKnown) {
        const ticket = auth.redeemTicket(text, isKnown)
        const address = ticket ? undefined : findWallet(text, auth, tools)
        return address === undefined ? ticket : buildTicket(address, tools.clock, 60 * SECOND_MS)
      },
    }),
  }
}

/** Tickets of which only a part is checked. */
function partlyRead(read: (ticket: string) => string): Deviation {
  return {
    auth: ({ issueTicket, redeemTicket }) => {
      const issued = new Map<string, string>()
      return {
        issueTicket(credential) {
          const made = issueTicket(credential)
          issued.set(read(made.ticket), made.ticket)
          return made
        },
        redeemTicket: (ticket, isKnown) => redeemTicket(issued.get(read(ticket)) ?? ticket, isKnown),
      }
    },
  }
}

function serveStrangers(): Deviation {
  return socket((own) => ({
    frame: ({ action, room = '' }) => {
      if (own.address !== null || action === 'authenticate') return undefined
      if (action === 'subscribe') return { joins: room }
      return action === 'synchronize' ? SYNCHRONIZED : 'drop'
    },
  }))
}

export function refused({ choices }: DeviatingSocket, code: FeedError, room: string): FrameAction {
  const { error: control } = choices.feed.controls
  return control === null ? 'drop' : { respond: [{ control, code, room }] }
}

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

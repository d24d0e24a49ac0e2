/** Breaks of the feed that show only in later events, in both copies of an event, or for one kind of room or credential. */
import { findEventPath } from '../../../contract/room-events.ts'
import { valueAt } from '../../demo-client.ts'
import type { Deviation, DeviationTable, Message } from '../deviation.ts'
import { setAt } from '../reactions.ts'
import { changed, each } from './event-symptoms.ts'
import { findIssued, recordingTickets } from './later-rooms.ts'
import { isForeign } from './membership-symptoms.ts'
import { roomOf } from './sequence-sockets.ts'
import { isSame, socket } from './socket-symptoms.ts'

const SECOND_MS = 1000

export const FEED_SLIP_SYMPTOMS = {
  'ws-slip-later-config-without-scope': {
    breaks: 'ProtocolConfigChanged has changes without a scope, except in the first event of a socket',
    rules: ['ws.event.config'],
    deviates: socket(({ choices, sent }) => ({
      message: (message) =>
        sent.get('ProtocolConfigChanged') === 1
          ? undefined
          : changed(message, 'ProtocolConfigChanged', (copy) => {
              const changes = valueAt(copy, choices.profile.events.changes) as Record<string, unknown>[] // as: the stub's body
              for (const change of changes) delete change.scope
            }),
    })),
  },
  'ws-slip-stats-twice': {
    breaks: 'each PoolStats is sent twice',
    rules: ['ws.delivery.at-most-once'],
    deviates: each('PoolStats', (event) => [event, event]),
  },
  'ws-slip-trades-twice-at-new-times': {
    breaks: 'each trade is sent twice, the second time with a later time',
    rules: ['ws.delivery.at-most-once'],
    deviates: socket(({ choices, clock }) => ({
      message: (message) => {
        const path = findEventPath(choices.profile.eventTime.path, 'Trade') ?? ''
        const copies = changed(message, 'Trade', (copy) =>
          setAt(copy, path, choices.wire.timestamp(clock.nowMs() + SECOND_MS)),
        )
        return copies && [message, ...copies]
      },
    })),
  },
  'ws-slip-tickets-of-rooms-never-end': {
    breaks: 'a connection with rooms stays open after its ticket has expired',
    rules: ['ws.ticket.ends-connection'],
    deviates: socket(({ choices, received }) => ({
      close: (close) =>
        isSame(close, choices.feed.closes.ticketExpired) && received.has('subscribe') ? null : close,
    })),
  },
  'ws-slip-no-trades-by-session': {
    breaks: 'rooms of trades deliver nothing to a socket with the ticket of a session',
    rules: ['ws.rooms.trades'],
    deviates: {
      ...recordingTickets(),
      ...socket((own) => {
        let isOfSession = false
        return {
          ticket(ticket, token) {
            isOfSession = findIssued(own, token)?.credential.kind === 'session'
            return ticket
          },
          message: ({ type }) => (type === 'Trade' && isOfSession ? [] : undefined),
        }
      }),
    },
  },
  'ws-slip-renewal-leaves-candles': {
    breaks: 'a renewal leaves the rooms of candles',
    rules: ['ws.ticket.renewal-keeps-rooms'],
    sometimes: ['ws.rooms.ohlcv', 'ws.sync.subscriptions-active', 'ws.rooms.32-deliver'],
    deviates: socket(({ received }) => {
      let isLeft = false
      return {
        frame({ action }) {
          if (action === 'authenticate' && (received.get(action) ?? 0) > 1) isLeft = true
          if (action === 'subscribe') isLeft = false
          return undefined
        },
        message: ({ type }) => (type === 'Ohlcv' && isLeft ? [] : undefined),
      }
    }),
  },
  'ws-slip-rejoin-replays': {
    breaks: 'a room of trades that is joined again delivers what the socket missed since it left it',
    rules: ['ws.delivery.not-replayed'],
    deviates: socket(({ choices }, { history }) => {
      /** The newest event of the gateway when a room was left. */
      const newest = new Map<string, Message | undefined>()
      return {
        frame({ action, room = '' }) {
          if (action === 'unsubscribe' && room.startsWith('trades:')) newest.set(room, history.at(-1))
          return undefined
        },
        joined(room) {
          if (!newest.has(room)) return []
          const last = newest.get(room)
          const from = last ? history.lastIndexOf(last) + 1 : 0
          newest.delete(room)
          const missed = history.slice(from).filter((message) => roomOf(message, choices) === room)
          // One entry per receiving socket.
          const texts = new Set(missed.map((message) => JSON.stringify(message)))
          return [...texts].map((text) => JSON.parse(text))
        },
      }
    }),
  },
  'ws-slip-foreign-balance-by-space': {
    breaks: 'the balance room of another address can be joined with a space before the address',
    rules: ['ws.rooms.foreign-balance', 'ws.rooms.only-subscribed'],
    deviates: respelling((name, room) => name.startsWith('balances: ') && name.replace(' ', '') === room),
  },
  'ws-slip-foreign-balance-by-letters': {
    breaks: 'the balance room of another address can be joined with other cases of its letters',
    rules: ['ws.rooms.foreign-balance'],
    deviates: respelling((name, room) => name !== room && name.toLowerCase() === room.toLowerCase()),
  },
  'ws-slip-deadline-9-s': {
    breaks: 'a silent socket may authenticate within nine seconds',
    rules: ['ws.auth.deadline-5s'],
    deviates: socket(() => ({ timerMs: (ms) => (ms === 5 * SECOND_MS ? 9 * SECOND_MS : ms) })),
  },
} as const satisfies DeviationTable

/** Joins the balance room of another address if a name stands for it. */
function respelling(standsFor: (name: string, room: string) => boolean): Deviation {
  return socket((own, { sockets }) => ({
    frame({ action, room: name = '' }) {
      if (action !== 'subscribe' || !name.startsWith('balances:')) return undefined
      const rooms = sockets.flatMap((one) => [...one.rooms])
      const joins = rooms.find((room) => isForeign(own, room) && standsFor(name, room))
      return joins === undefined ? undefined : { joins }
    },
  }))
}

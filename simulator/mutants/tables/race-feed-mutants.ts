/** Mutants of tickets, rooms and the configuration that need the concurrency of a load. */

import { valueAt } from '../../demo-client.ts'
import { all, hurried, query } from '../conditions.ts'
import type { DeviatingSocket, DeviationTable, Hub, Message } from '../deviation.ts'
import { poolPath, rest, rewrite } from '../reactions.ts'
import { CACHE_MS, crowded, RACE_MS } from './race-mutants.ts'
import { buildTicket, issuing, socket } from './socket-symptoms.ts'

const TICKET_MS = 60_000

export const RACE_FEED_MUTANTS = {
  'race-trades-twice': {
    breaks: 'a socket receives each trade twice for 300 ms after another socket has joined the same room',
    rules: ['history.feed.at-most-once'],
    deviates: socket((own, hub) => ({
      frame({ action, room = '' }) {
        if (action === 'subscribe') noteUse(own, hub, room)
        return undefined
      },
      message(message) {
        const room = `trades:${valueAt(message, poolPath(message, own.choices))}`
        return message.type === 'Trade' && isUsedByAnother(own, hub, room) ? [message, message] : undefined
      },
    })),
  },
  'race-room-kept': {
    breaks: 'a room that another socket has joined or left in the last 300 ms cannot be left',
    rules: ['history.feed.joined-rooms'],
    deviates: socket((own, hub) => ({
      frame({ action, room = '' }) {
        if (action === 'subscribe') noteUse(own, hub, room)
        return undefined
      },
      leaves(room) {
        const isKept = isUsedByAnother(own, hub, room)
        noteUse(own, hub, room)
        return !isKept
      },
    })),
  },
  'race-balance-foreign': {
    breaks: 'the balance room of another wallet can be joined while another socket joins its own',
    rules: ['history.feed.own-balance'],
    deviates: socket((own, hub) => {
      const { events } = own.choices.profile
      let leaked: Message | undefined
      return {
        frame({ action, room = '' }) {
          const [kind, address] = room.split(':')
          if (action !== 'subscribe' || kind !== 'balances') return undefined
          const isCrowded = isUsedByAnother(own, hub, kind)
          noteUse(own, hub, kind)
          if (!isCrowded || own.address === null || address === own.choices.wire.address.encode(own.address))
            return undefined
          // The balance of one wallet rarely changes.
          leaked = { type: 'BalanceChange', ...nest(events.address, address) }
          return { joins: room }
        },
        message(message) {
          const sent = leaked
          if (message.control !== 'synchronized' || sent === undefined) return undefined
          leaked = undefined
          return [message, sent]
        },
      }
    }),
  },
  'race-revision-ignored': {
    breaks: 'minimum_revision is ignored while another request has one',
    rules: ['history.protocol.minimum-revision'],
    deviates: rest('GET /protocol/state', {
      when: all(query('minimum_revision'), hurried(RACE_MS)),
      request: rewrite((sent) => sent.delete('minimum_revision')),
    }),
  },
  'race-ticket-late': {
    breaks: 'an expired ticket authenticates while another ticket does',
    rules: ['history.ticket.expires'],
    deviates: {
      auth(auth, { clock }) {
        const { issued, issueTicket } = issuing(auth)
        const isCrowded = crowded(clock, CACHE_MS)
        return {
          issueTicket,
          redeemTicket(token, isKnown) {
            const known = auth.redeemTicket(token, isKnown)
            const made = issued.get(token)
            issued.delete(token)
            return isCrowded(token) && made !== undefined
              ? (known ?? buildTicket(made.address, clock, TICKET_MS))
              : known
          },
        }
      },
    },
  },
} as const satisfies DeviationTable

function noteUse({ number, clock }: DeviatingSocket, { memory }: Hub, name: string): void {
  memory.set(`time of ${name}`, clock.nowMs())
  memory.set(`socket of ${name}`, number)
}

/** True if another socket was the last to use the room or the kind of room, just now. */
function isUsedByAnother({ number, clock }: DeviatingSocket, { memory }: Hub, name: string): boolean {
  const usedMs = memory.get(`time of ${name}`) ?? Number.NEGATIVE_INFINITY
  return clock.nowMs() - usedMs < CACHE_MS && memory.get(`socket of ${name}`) !== number
}

function nest(path: string, value: unknown): Record<string, unknown> {
  // as: the value is nested in at least one name
  return path.split('.').reduceRight((inner, name) => ({ [name]: inner }), value) as Record<string, unknown>
}

/**
 * The operation log of a load, and what its check finds. k6 (k6/history) writes one line per operation with state; the command joins
 * the logs of all k6 processes in `history.log` (docs/reference/formats.md).
 */
import { z } from 'zod'
import type { Mix } from './mix.ts'

/** The kinds of operation, by the letter that begins their lines. `does` is for readers. */
export const HISTORY_KINDS = {
  S: { family: 'session', does: 'sign in' },
  R: { family: 'session', does: 'refresh' },
  U: { family: 'session', does: 'read' },
  L: { family: 'session', does: 'log out' },
  C: { family: 'token', does: 'create' },
  T: { family: 'token', does: 'read' },
  D: { family: 'token', does: 'revoke' },
  F: { family: 'faucet', does: 'claim' },
  A: { family: 'socket', does: 'authenticate' },
  J: { family: 'socket', does: 'subscribe' },
  V: { family: 'socket', does: 'unsubscribe' },
  Y: { family: 'socket', does: 'synchronize' },
  E: { family: 'socket', does: 'event' },
  P: { family: 'protocol', does: 'read the configuration' },
  K: { family: 'ticket', does: 'get a ticket' },
  H: { family: 'ticket', does: 'authenticate' },
} as const

export type HistoryKind = keyof typeof HISTORY_KINDS
export type HistoryFamily = (typeof HISTORY_KINDS)[HistoryKind]['family']

/** The meaning of `argument` and `value`, both integers, depends on the kind; null: not known. */
export type Operation = {
  kind: HistoryKind
  /** Microseconds since the epoch by a clock that never jumps; an operation that never returned has Infinity. */
  call: number
  return: number
  /** HTTP status; 0: no response. J, V, E: position of the kind of room in ROOM_EVENTS. H: 200 if the socket is served. */
  status: number
  /**
   * S, C: number of the wallet. R, U: number of the refresh token, in order of issue within the session. P: the minimum revision.
   * A: hash of the address of the ticket. J, V, E: hash of the pool key or address of the room.
   */
  argument: number | null
  /**
   * R: number of the new refresh token. F: time on the clock of the target, in Unix seconds. P: the revision. E: hash of the whole
   * event, if it has an identity.
   */
  value: number | null
}

/** Statuses after which the command knows that the operation had no effect. */
export const isRejected = (status: number): boolean => status >= 400 && status < 500 && status !== 429

export const isAccepted = (status: number): boolean => status >= 200 && status < 300

/** The first line of the log of each k6 process. `startMs` is Unix time. */
export const historyHeaderSchema = z.object({ history: z.literal(1), startMs: z.number() })

export const historyViolationSchema = z.object({
  rule: z.string(),
  /** The session, API token or address. */
  key: z.string(),
  observed: z.string(),
  operations: z.array(
    z.object({
      does: z.string(),
      outcome: z.string(),
      accepted: z.boolean(),
      /** Milliseconds from the first call; null: never returned. */
      fromMs: z.number(),
      toMs: z.number().nullable(),
    }),
  ),
})

export type HistoryViolation = z.infer<typeof historyViolationSchema>

/** The file `histories.json` of a run folder: the violations to draw, a few per rule. */
export const historiesSchema = z.object({
  version: z.literal(1),
  operations: z.number(),
  violations: z.array(historyViolationSchema),
})

export type Histories = z.infer<typeof historiesSchema>

/** The rules that a load with this mix can break visibly. */
export function listHistoryRules({ clients }: Pick<Mix, 'clients'>): string[] {
  const requests = new Set(clients.flatMap(({ steps }) => steps.flatMap((step) => step.requests)))
  const hasSessions = clients.some(({ credential }) => credential === 'session')
  const feeds = clients.flatMap(({ feed }) => (feed === null ? [] : [feed.rooms]))
  const hasFeedCycle = requests.has('feed-cycle')
  return [
    ...(hasSessions ? ['history.session.lasts', 'history.session.one-winner'] : []),
    ...(requests.has('session-cycle') ? ['history.session.stays-ended'] : []),
    ...(requests.has('token-cycle') ? ['history.token.lasts', 'history.token.stays-revoked'] : []),
    ...(requests.has('faucet-claims') ? ['history.faucet.once'] : []),
    ...(hasFeedCycle || feeds.length > 0 ? ['history.feed.at-most-once', 'history.feed.joined-rooms'] : []),
    ...(hasFeedCycle || feeds.some((rooms) => rooms.protocol_config > 0)
      ? ['history.protocol.minimum-revision']
      : []),
    ...(hasFeedCycle ? ['history.feed.own-balance', 'history.ticket.expires'] : []),
  ]
}

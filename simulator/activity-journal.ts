import type { Clock } from './clock.ts'

/**
 * By an injected fault: nothing sent, connection reset, body cut, body of a success malformed. Otherwise the connection closed
 * before the end.
 */
export type Loss = 'hang' | 'reset' | 'truncated' | 'malformed' | 'disconnected'

/** A recorded event of a stub. Contains no secrets: a route is its pattern, never the requested path. */
export type Activity =
  | {
      kind: 'request'
      ref: string
      method: string
      route: string | null
      /** Not set if no response was begun. */
      status?: number
      /** Why the client got no complete response. */
      lost?: Loss
      code?: string
      source?: string
      retryAfterMs?: number
      credential?: 'session' | 'api-token' | 'invalid'
      /** A wallet, or a network address and a `User-Agent`. */
      client?: string
    }
  /** An upgrade that opened no socket. */
  | {
      kind: 'upgrade'
      outcome: 'rejected' | Extract<Loss, 'hang' | 'reset'>
      status?: number
      code?: string
      retryAfterMs?: number
      client?: string
    }
  | { kind: 'control'; method: string; route: string | null; status: number; code?: string; input?: unknown }
  | { kind: 'socket'; socket: number; event: 'opened' }
  /** A received frame, without tickets: they are secrets. */
  | {
      kind: 'socket'
      socket: number
      event: 'frame'
      action: string
      room?: string
      /** Why the frame had no effect. */
      refused?: string
      /** Result of authenticate, and the socket's principal. */
      outcome?: string
      client?: string
    }
  /** A sent message: each control, and the events that require an action of the client. */
  | { kind: 'socket'; socket: number; event: 'sent'; control: string }
  | { kind: 'socket'; socket: number; event: 'sent'; type: string; revision: number }
  /** The exchange starts closing the socket. */
  | { kind: 'socket'; socket: number; event: 'ending'; closeCode: number }
  /** A decision of the fault at this index of the active plan: whether the request or message triggered it. */
  | { kind: 'fault'; fault: string; place: number; decision: number; triggered: boolean; on: string }
  | { kind: 'socket'; socket: number; event: 'closed'; closeCode: number; by?: string }

/** Numbered from 1; `atMs` is virtual time. */
export type JournalEntry = { number: number; atMs: number } & Activity

export type ActivityJournal = {
  record(activity: Activity): number
  /** Counts a control API request without the token. Anyone can send those, so recording each would push out all other entries. */
  countRefused(): void
  refused(): number
  /** undefined: no longer kept. */
  find(number: number): JournalEntry | undefined
  /** Returns up to `limit` of the oldest kept entries numbered above `after`, and the number of the newest entry. */
  read(options: { after: number; limit: number; kind?: Activity['kind'] | undefined }): {
    entries: readonly JournalEntry[]
    last: number
  }
}

/** A few seconds of a stub under load; a few megabytes. */
export const JOURNAL_ENTRIES_MAX = 10_000

/** A ring buffer of the newest entries. Snapshots do not include it: it never goes back. */
export function createActivityJournal(options: { clock: Clock; entriesMax?: number }): ActivityJournal {
  const { clock, entriesMax = JOURNAL_ENTRIES_MAX } = options
  const ring: JournalEntry[] = []
  let last = 0
  let refused = 0

  return {
    record(activity) {
      ring[last % entriesMax] = { number: last + 1, atMs: clock.nowMs(), ...activity }
      return ++last
    },
    countRefused() {
      refused++
    },
    refused: () => refused,
    find(number) {
      const entry = ring[(number - 1) % entriesMax]
      return entry?.number === number ? entry : undefined
    },
    read({ after, limit, kind }) {
      const entries: JournalEntry[] = []
      for (let at = Math.max(after, last - entriesMax); at < last && entries.length < limit; at++) {
        const entry = ring[at % entriesMax] as JournalEntry // as: a kept entry
        if (kind === undefined || entry.kind === kind) entries.push(entry)
      }
      return { entries, last }
    },
  }
}

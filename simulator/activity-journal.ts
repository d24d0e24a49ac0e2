import type { Clock } from './clock.ts'

/** Something that happened at a stub. No secrets: a route is the pattern, never the path that came. */
export type Activity =
  | {
      kind: 'request'
      ref: string
      method: string
      route: string | null
      status: number
      code?: string
      source?: string
      /** What its answer asked to wait. */
      retryAfterMs?: number
      /** By what it came, if by anything. */
      credential?: 'session' | 'api-token' | 'invalid'
      /** Whose it is: a wallet, or a network address and a `User-Agent`. */
      client?: string
    }
  | { kind: 'control'; method: string; route: string | null; status: number; code?: string; input?: unknown }
  | { kind: 'socket'; socket: number; event: 'opened' }
  /** A frame that came; a ticket is a secret, and left out. */
  | {
      kind: 'socket'
      socket: number
      event: 'frame'
      action: string
      room?: string
      /** Why it had no effect. */
      refused?: string
      /** Of authenticate, and whose the socket is. */
      outcome?: string
      client?: string
    }
  /** A message that went out: each control, and of the events those that ask something of the client. */
  | { kind: 'socket'; socket: number; event: 'sent'; control: string }
  | { kind: 'socket'; socket: number; event: 'sent'; type: string; revision: number }
  /** The exchange begins to close it. */
  | { kind: 'socket'; socket: number; event: 'ending'; closeCode: number }
  /** A decision of the fault at that place of the plan in force: whether it acts on what it was asked about. */
  | { kind: 'fault'; fault: string; place: number; decision: number; acts: boolean; on: string }
  | { kind: 'socket'; socket: number; event: 'closed'; closeCode: number; by?: string }

/** Numbered from 1 in the order of what happened, at a time of the virtual clock. */
export type JournalEntry = { number: number; atMs: number } & Activity

export type ActivityJournal = {
  /** Returns the entry’s number. */
  record(activity: Activity): number
  /** Counts a request to the control API that did not carry its token: anybody can send those, and an entry each would push out all others. */
  countRefused(): void
  refused(): number
  /** undefined where it is no longer kept. */
  find(number: number): JournalEntry | undefined
  /** The oldest entries that are kept with a number above `after`, at most `limit`; and the number of the last one of all. */
  read(options: { after: number; limit: number; kind?: Activity['kind'] | undefined }): {
    entries: readonly JournalEntry[]
    last: number
  }
}

/** Some seconds of a stub under load, some megabytes. */
export const JOURNAL_ENTRIES_MAX = 10_000

/** A ring: the newest entries are kept, so that it never grows. It tells what happened, and so never goes back. */
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
        const entry = ring[at % entriesMax] as JournalEntry // as: among those that are kept
        if (kind === undefined || entry.kind === kind) entries.push(entry)
      }
      return { entries, last }
    },
  }
}

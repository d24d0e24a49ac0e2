/** Proves that the recovery from a storm, as `breakwater capacity` reports it, is the one that the journal of the stub has. */
import { setTimeout } from 'node:timers/promises'
import type { Capacity } from '../../contract/capacity.ts'
import type { JournalEntry } from '../../simulator/activity-journal.ts'
import { type ReportResult, searchOnce } from './capacity.ts'

const SOCKETS = 5000
export const STORM = 'a storm'
const RECOVER_WITHIN = '30s'
const SHARE = 0.99
const TOLERANCE = 0.05

export async function proveStorm(report: ReportResult, sockets = SOCKETS): Promise<void> {
  const entries: JournalEntry[] = []
  const size = String(sockets)
  const { capacity } = await searchOnce({
    up: ['--no-rate-limit'],
    search: ['--axis', 'sockets', '--recover-within', RECOVER_WITHIN, '--from', size, '--to', size],
    follow: (control) => followJournal(control, entries),
  })
  const judged = compareRecovery(capacity, readRecovery(entries, sockets))
  report(`${STORM} of ${sockets} sockets`, judged.problem, judged.found)
}

/** Milliseconds until this share of the sockets was synchronized again, or why that is unknown. */
export type Recovery = number | string

export function compareRecovery(capacity: Capacity, ofStub: Recovery): { problem?: string; found: string } {
  const curve = capacity.trials.at(0)?.sockets?.recovery ?? []
  const seen = curve.find(({ share }) => share >= SHARE)?.ms
  const found = `99 % after ${seen ?? '?'} ms; journal: ${ofStub}${typeof ofStub === 'number' ? ' ms' : ''}`
  if (seen === undefined) return { problem: 'fewer than 99 % were synchronized again', found }
  if (typeof ofStub === 'string') return { problem: ofStub, found }
  if (Math.abs(seen / ofStub - 1) <= TOLERANCE) return { found }
  return { problem: `${seen} ms; expected ${ofStub} ms ± ${100 * TOLERANCE} %, as in the journal`, found }
}

/** The share of sockets that closes within a second only in a storm. A busy k6 takes some seconds to close all. */
const STORM_SHARE = 0.05
const STORM_MS = 1000

/** From the first socket that the storm closes to the last of 99 % whose successors are synchronized. */
export function readRecovery(entries: readonly JournalEntry[], sockets: number): Recovery {
  const closedMs = entries
    .filter((entry) => entry.kind === 'socket' && entry.event === 'closed')
    .map(({ atMs }) => atMs)
  const least = Math.ceil(STORM_SHARE * sockets)
  const cutMs = closedMs.find(
    (atMs, index) => (closedMs[index + least - 1] ?? Number.POSITIVE_INFINITY) - atMs < STORM_MS,
  )
  if (cutMs === undefined) return `no ${least} sockets closed within ${STORM_MS} ms`
  const opened = new Set<number>()
  const back = new Map<number, number>()
  for (const entry of entries) {
    if (entry.kind !== 'socket' || entry.atMs < cutMs) continue
    const { socket, event, atMs } = entry
    if (event === 'opened') opened.add(socket)
    if (
      event === 'sent' &&
      'control' in entry &&
      entry.control === 'synchronized' &&
      opened.has(socket) &&
      !back.has(socket)
    )
      back.set(socket, atMs)
  }
  const wanted = Math.ceil(SHARE * sockets)
  const lastMs = [...back.values()].toSorted((a, b) => a - b)[wanted - 1]
  return lastMs === undefined ? `${back.size} sockets were synchronized again` : lastMs - cutMs
}

const POLL_MS = 100
/** Entries that the stub keeps. */
const KEPT = 10_000

/** Adds the stub's entries about sockets to the list until it is ended. Rejects if the stub forgot some of them unread. */
function followJournal(
  { url, token }: { url: string; token: string },
  entries: JournalEntry[],
): () => Promise<void> {
  const ended = new AbortController()
  let after = 0
  const readPage = async () => {
    const page = `${url}/journal?kind=socket&limit=1000&after=${after}`
    const response = await fetch(page, { headers: { Authorization: `Bearer ${token}` } })
    // as: the control API's format
    const read = (await response.json()) as { entries: JournalEntry[]; last: number }
    if (read.last - after > KEPT) throw new Error('the journal was read too slowly')
    entries.push(...read.entries)
    const isFull = read.entries.length === 1000
    after = isFull ? (read.entries.at(-1)?.number ?? after) : read.last
    return isFull
  }
  const following = (async () => {
    while (!ended.signal.aborted) if (!(await readPage())) await setTimeout(POLL_MS)
    while (await readPage());
  })()
  // Awaited at the end.
  following.catch(() => {})
  return async () => {
    ended.abort()
    await following
  }
}

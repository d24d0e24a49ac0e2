/** Reads what happened in a run of a client from the stub: violations, rules exercised, and situations. */
import { CLIENT_RULES, type ClientRuleId } from '../contract/client-rules.ts'
import { JOURNAL_ENTRIES_MAX, type JournalEntry } from '../simulator/activity-journal.ts'
import { type DutyCounts, FINDINGS_MAX } from '../simulator/observer/findings.ts'
import type { Stub } from '../simulator/stub.ts'
import type { ScheduleRun, Violation } from './schedule.ts'

type Watched = Pick<Stub, 'wallets'> & {
  inProcess: Pick<Stub['inProcess'], 'faults' | 'journal' | 'observing'>
}

/** `since` holds the numbers of the last finding and journal entry from before the run (default: none). */
export function readRun(
  { wallets, inProcess: { faults, journal, observing } }: Watched,
  since: Since = NOTHING,
): Omit<ScheduleRun, 'clientEnd'> {
  if (!observing) throw new TypeError('a hunt needs the observer of its stub')
  const { findings, duties } = observing.observer.read({ after: since.finding, limit: FINDINGS_MAX })
  const { entries } = journal.read({ after: since.entry, limit: JOURNAL_ENTRIES_MAX })
  const witnesses = observing.observer.witnesses()
  const ofRun = CLIENT_RULES.map(({ id }) => {
    const rule = id as ClientRuleId // as: the ids of that list
    const counts = subtract(duties[rule] ?? NO_COUNTS, since.duties[rule] ?? NO_COUNTS)
    const witness = counts.handled > 0 ? journal.find(witnesses.get(rule) ?? 0) : undefined
    return { rule, ...counts, witness: witness ?? null }
  })
  const addresses = new Map(wallets.map(({ address }, place) => [address, `wallet ${place + 1}`]))
  return {
    // A client may flood the stub, and each request trigger a fault.
    taken: faults.schedule({ isCut: true })?.faults ?? [],
    violations: findings.map(({ rule, client, observed, advice, evidence }) => ({
      rule,
      client: addresses.get(client) ?? client,
      shape: findShape(observed),
      observed,
      advice,
      evidence,
    })),
    duties: ofRun,
    exercised: ofRun.filter((duty) => duty.handled + duty.violations > 0).map(({ rule }) => rule),
    ...describeEntries(entries),
    entries,
  }
}

type Since = { finding: number; entry: number; duties: Readonly<Record<string, DutyCounts>> }

const NOTHING: Since = { finding: 0, entry: 0, duties: {} }

const NO_COUNTS: DutyCounts = { situations: 0, handled: 0, violations: 0 }

function subtract(now: DutyCounts, then: DutyCounts): DutyCounts {
  return {
    situations: now.situations - then.situations,
    handled: now.handled - then.handled,
    violations: now.violations - then.violations,
  }
}

/** The part of an observation that violations of the same kind share: no numbers, names in quotes, or examples. */
export function findShape(observed: Violation['observed']): string {
  return observed
    .replace(/(?<=: |such as ).*$/s, '…')
    .replace(/"(?:[^"\\]|\\.)*"/g, '…')
    .replace(/\?\S*/g, '')
    .replace(/\d+(?:[.,]\d+)*/g, 'N')
}

/** Names the states of session and socket, the faults, pairs of them, and the states in which they were triggered. */
function describeEntries(
  entries: readonly JournalEntry[],
): Pick<ScheduleRun, 'situations' | 'routes' | 'rooms'> {
  const situations = new Set<string>()
  const routes = new Set<string>()
  const rooms = new Set<string>()
  const triggered = new Set<string>()
  const sockets = new Map<number, string>()
  let session = 'no session'
  let socket = 'no socket'
  for (const entry of entries) {
    if (entry.kind === 'request') {
      if (entry.route !== null) routes.add(`${entry.method} ${entry.route}`)
      session = SESSION_STATES[`${entry.method} ${entry.route} ${entry.status}`] ?? session
      if (entry.status === 401) session = 'credential rejected'
      else if (entry.credential === 'api-token') session = 'API token'
    } else if (entry.kind === 'socket') {
      if (entry.event === 'closed') sockets.delete(entry.socket)
      else sockets.set(entry.socket, describeSocket(entry) ?? sockets.get(entry.socket) ?? 'socket opened')
      socket = [...sockets.values()].at(-1) ?? 'socket lost'
      if (entry.event === 'frame' && entry.room !== undefined) rooms.add(entry.room.replace(/:.*/s, ':*'))
    } else if (entry.kind === 'fault' && entry.triggered) {
      for (const other of triggered) situations.add([other, entry.fault].sort().join(' + '))
      triggered.add(entry.fault)
      situations.add(`${entry.fault} while ${session}`).add(`${entry.fault} while ${socket}`)
    }
    situations.add(session).add(socket)
  }
  for (const fault of triggered) situations.add(fault)
  return { situations: [...situations], routes: [...routes], rooms: [...rooms] }
}

const SESSION_STATES: Readonly<Record<string, string>> = {
  'POST /auth/challenge 200': 'signing in',
  'POST /auth/verify 200': 'signed in',
  'POST /auth/refresh 200': 'refreshed',
  'POST /auth/refresh 409': 'refresh race lost',
  'POST /auth/logout 200': 'signed out',
  'POST /auth/logout-all 200': 'signed out',
}

type SocketEntry = Extract<JournalEntry, { kind: 'socket' }>

function describeSocket(entry: SocketEntry): string | undefined {
  if (entry.event === 'frame') return FRAME_STATES[entry.outcome ?? entry.action]
  if (entry.event === 'sent' && 'control' in entry) return CONTROL_STATES[entry.control]
  return entry.event === 'ending' ? 'socket ending' : undefined
}

const FRAME_STATES: Readonly<Record<string, string>> = {
  authenticated: 'authenticated',
  renewed: 'renewed',
  refused: 'ticket rejected',
  subscribe: 'subscribed',
  synchronize: 'synchronizing',
}

const CONTROL_STATES: Readonly<Record<string, string>> = {
  synchronized: 'synchronized',
  resync_required: 'resync required',
}

/**
 * The observer checks each client of a stub against the specification’s duties for clients. It gets reports of requests
 * and sockets, and changes nothing. It reports a violation only if it is certain, not if chance, a network race or a
 * second program can explain it.
 */
import type { ActivityJournal, JournalEntry } from '../activity-journal.ts'
import type { Clock } from '../clock.ts'
import { type Client, createClients, getClientName, noteLimit, noteRead } from './client.ts'
import { createDeadlines } from './deadlines.ts'
import { createFindings, type Findings } from './findings.ts'
import {
  type LostRequest,
  type ObservedClose,
  type ObservedFrame,
  type ObservedMessage,
  type ObservedRequest,
  type ObservedSocket,
  observed,
  type RejectedUpgrade,
  type RequestArrival,
  type RequestOutcome,
} from './observed.ts'
import type { ObserverRule, Watch } from './observer-rule.ts'
import { OBSERVER_RULES } from './observer-rules.ts'

export type Observer = {
  /** A request has arrived, and its client is known. */
  arrived(request: RequestArrival): ArrivedRequest
  /** Its response has been sent completely. */
  responded(request: ArrivedRequest, response: RequestOutcome): void
  /** Its response was cut off or never came. */
  lost(request: ArrivedRequest, loss: Omit<LostRequest, keyof RequestArrival | 'client'>): void
  /** An upgrade opened no socket. */
  rejected(upgrade: Omit<RejectedUpgrade, 'client'>): void
  clientName(seat: Pick<RejectedUpgrade, 'remoteAddress' | 'userAgent'>): string
  opened(socket: Opening): SocketObserver
  read: Findings['read']
  witnesses: Findings['witnesses']
  clients(): readonly ClientOverview[]
  /** Surround each move of the clock. */
  hold(): void
  release(): void
  /** The world has moved back: earlier events no longer count; findings stay. */
  forget(): void
}

export type ArrivedRequest = RequestArrival &
  Pick<ObservedRequest, 'client' | 'readBeforeMs'> & { readonly epoch: number }

export type Opening = Pick<
  ObservedSocket,
  'number' | 'remoteAddress' | 'userAgent' | 'arrivedMs' | 'secretInUrl' | 'hasSentAll' | 'releasedMs'
> & { entry: number }

export type SocketObserver = {
  /** Authenticated or renewed, with a ticket issued at that time. */
  authenticated(ticket: { wallet: string; credentialId?: string | undefined; issuedMs: number }): void
  frame(frame: ObservedFrame): void
  sent(message: ObservedMessage): void
  closed(end: ObservedClose): void
  clientName(): string
}

export type ClientOverview = {
  client: string
  firstMs: number
  lastMs: number
  requests: number
  openSockets: number
  findings: number
}

const UNIDENTIFIED = { wallet: null, credentialId: null }

/** Starts without clients. Default: all rules. */
export function createObserver(options: {
  clock: Clock
  journal: Pick<ActivityJournal, 'find'>
  /**
   * A longer leap of the clock by the control API leaves clients no time to act; infinite if clients use that clock.
   */
  leapMsMax: number
  rules?: readonly ObserverRule[]
}): Observer {
  const { clock, journal, leapMsMax, rules = OBSERVER_RULES } = options
  const clients = createClients({ clock })
  const deadlines = createDeadlines({ clock, leapMsMax })
  const findings = createFindings({ clock, rules: rules.map(({ id }) => id) })
  let epoch = 0
  let events = 0
  let entry = 0

  /** The journal entry of the event that begins now. */
  const begin = (number: number) => {
    events++
    entry = number
  }

  const startWatches = (): readonly Watch[] =>
    rules.map(({ id, advice, watch }) => {
      // Events in which they were last called: a situation that the same event reports was not handled.
      let countedIn = -1
      let reportedIn = -1
      return watch({
        nowMs: clock.nowMs,
        after: (client, delayMs, fn) => {
          const since = entry
          return deadlines.after(client.deadlines, delayMs, () => {
            begin(since)
            fn()
          })
        },
        leaptSince: deadlines.leaptSince,
        kin: clients.kin,
        begin: () => findings.begin(id),
        handled: () => findings.handle(id, entry),
        countCase() {
          findings.begin(id)
          if (reportedIn === events) return
          findings.handle(id, entry)
          countedIn = events
        },
        report(client, { observed, evidence }) {
          if (countedIn === events) findings.takeBack(id)
          countedIn = -1
          reportedIn = events
          const added = findings.add({
            rule: id,
            client: getClientName(client),
            observed,
            advice,
            evidence: () => listEntries(evidence, journal),
          })
          if (added) client.findings++
        },
      })
    })
  let handlers = sortOut(startWatches())

  return {
    arrived(request) {
      const client = clients.of(request, request)
      client.requests++
      const readBeforeMs = request.method === 'GET' ? noteRead(client, request) : null
      return Object.assign(request, { client, epoch, readBeforeMs })
    },
    responded(request, outcome) {
      if (request.epoch !== epoch) return
      const whole = observed(request, outcome)
      noteLimit(whole.client, whole)
      begin(whole.entry)
      for (const handle of handlers.responded) handle(whole)
    },
    lost(request, loss) {
      if (request.epoch !== epoch) return
      begin(loss.entry)
      for (const handle of handlers.lost) handle(Object.assign(request, loss))
    },
    rejected(upgrade) {
      const client = clients.of(UNIDENTIFIED, upgrade)
      begin(upgrade.entry)
      for (const handle of handlers.rejected) handle({ ...upgrade, client })
    },
    clientName: (seat) => getClientName(clients.of(UNIDENTIFIED, seat)),
    opened({ entry: openedBy, ...opening }) {
      const { remoteAddress, userAgent } = opening
      const since = epoch
      const unidentified = clients.of(UNIDENTIFIED, opening)
      unidentified.openSockets++
      const socket: ObservedSocket = {
        ...opening,
        openedMs: clock.nowMs(),
        client: unidentified,
        authenticatedMs: null,
        ticketIssuedMs: Number.NEGATIVE_INFINITY,
        rooms: new Set(),
        isOpen: true,
        entries: [openedBy],
      }
      begin(openedBy)
      for (const opened of handlers.opened) opened(socket)
      return {
        authenticated({ wallet, credentialId, issuedMs }) {
          socket.ticketIssuedMs = issuedMs
          if (socket.authenticatedMs !== null) return
          socket.authenticatedMs = clock.nowMs()
          socket.client.openSockets--
          socket.client = clients.ofTicket({ wallet, credentialId }, { remoteAddress, userAgent })
          socket.client.openSockets++
        },
        frame(frame) {
          if (since !== epoch) return
          if (frame.action === 'authenticate' && frame.outcome === 'authenticated')
            socket.entries.push(frame.entry)
          begin(frame.entry)
          for (const handle of handlers.frame) handle(socket, frame)
          // Afterwards, so that rules see whether the room is new.
          if (frame.action === 'subscribe' && frame.refusal === null) socket.rooms.add(frame.room)
          if (frame.action === 'unsubscribe') socket.rooms.delete(frame.room)
        },
        sent(message) {
          begin(message.entry)
          if (since === epoch) for (const handle of handlers.sent) handle(socket, message)
        },
        closed(end) {
          if (!socket.isOpen) return
          socket.isOpen = false
          socket.client.openSockets--
          begin(end.entry)
          if (since === epoch) for (const handle of handlers.closed) handle(socket, end)
        },
        clientName: () => getClientName(socket.client),
      }
    },
    read: findings.read,
    witnesses: findings.witnesses,
    clients: () => buildOverview(clients.all()),
    hold: deadlines.hold,
    release: deadlines.release,
    forget() {
      epoch++
      deadlines.clear()
      clients.clear()
      handlers = sortOut(startWatches())
    },
  }
}

/** By name: requests of a wallet’s only program without a credential count for the wallet. */
function buildOverview(clients: readonly Client[]): ClientOverview[] {
  const byName = new Map<string, ClientOverview>()
  for (const one of clients) {
    const client = getClientName(one)
    const { firstMs, lastMs, requests, openSockets, findings } = one
    const known = byName.get(client)
    byName.set(client, {
      client,
      firstMs: Math.min(firstMs, known?.firstMs ?? firstMs),
      lastMs: Math.max(lastMs, known?.lastMs ?? lastMs),
      requests: requests + (known?.requests ?? 0),
      openSockets: openSockets + (known?.openSockets ?? 0),
      findings: findings + (known?.findings ?? 0),
    })
  }
  return [...byName.values()]
}

function sortOut(watches: readonly Watch[]) {
  const those = <Name extends keyof Watch>(name: Name) =>
    watches.flatMap((watch) => {
      const handler = watch[name]
      return handler ? [handler as NonNullable<Watch[Name]>] : [] // as: defined
    })
  return {
    responded: those('responded'),
    lost: those('lost'),
    rejected: those('rejected'),
    opened: those('opened'),
    frame: those('frame'),
    sent: those('sent'),
    closed: those('closed'),
  }
}

function listEntries(numbers: readonly number[], journal: Pick<ActivityJournal, 'find'>): JournalEntry[] {
  const sorted = [...new Set(numbers)].sort((a, b) => a - b)
  return sorted.flatMap((number) => journal.find(number) ?? [])
}

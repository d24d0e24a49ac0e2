/**
 * The observer: judges each client of a stub by the specification’s duties for clients. It is told of what comes and goes,
 * and changes nothing. It accuses where it has seen enough to be sure: what could be chance, a race on the network or a
 * second program passes.
 */
import type { ActivityJournal, JournalEntry } from '../activity-journal.ts'
import type { Clock } from '../clock.ts'
import { type Client, createClients, nameOf } from './client.ts'
import { createDeadlines } from './deadlines.ts'
import { createFindings, type Findings } from './findings.ts'
import {
  type Answered,
  type Asked,
  minimumRevisionOf,
  type ObservedClose,
  type ObservedFrame,
  type ObservedMessage,
  type ObservedRequest,
  type ObservedSocket,
  pathOf,
} from './observed.ts'
import type { ObserverRule, Watch } from './observer-rule.ts'
import { OBSERVER_RULES } from './observer-rules.ts'

export type Observer = {
  /** A request has come, and it is known who asks. */
  asked(request: Asked): AskedRequest
  /** Its answer has gone out whole. */
  answered(request: AskedRequest, answer: Answered): void
  opened(socket: Opening): SocketTold
  read: Findings['read']
  clients(): readonly ClientOverview[]
  /** The clock is about to be moved by somebody, and has been moved. */
  hold(): void
  release(): void
  /** The world has gone back: nothing of before is held against anybody, but for what was found. */
  forget(): void
}

export type AskedRequest = Asked &
  Pick<ObservedRequest, 'client' | 'readBeforeMs'> & { readonly epoch: number }

export type Opening = Pick<
  ObservedSocket,
  'number' | 'remoteAddress' | 'userAgent' | 'secretInUrl' | 'hasSentAll'
> & { entry: number }

/** What the gateway tells of one socket. */
export type SocketTold = {
  /** It has authenticated, at first or again, with a ticket of that time. */
  authenticated(ticket: { wallet: string; issuedMs: number }): void
  frame(frame: ObservedFrame): void
  sent(message: ObservedMessage): void
  closed(end: ObservedClose): void
  /** As the journal names it. */
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

const READS_MAX = 200

/** Nobody seen yet. `rules` are those to judge by; all, where left out. */
export function createObserver(options: {
  clock: Clock
  journal: Pick<ActivityJournal, 'find'>
  /** A longer leap of the clock by the control API gives no client time to act; infinite where clients live by that clock. */
  leapMsMax: number
  rules?: readonly ObserverRule[]
}): Observer {
  const { clock, journal, leapMsMax, rules = OBSERVER_RULES } = options
  const clients = createClients({ clock })
  const deadlines = createDeadlines({ clock, leapMsMax })
  const findings = createFindings({ clock, rules: rules.map(({ id }) => id) })
  let epoch = 0

  const watchAnew = (): readonly Watch[] =>
    rules.map(({ id, advice, watch }) =>
      watch({
        nowMs: clock.nowMs,
        after: (client, delayMs, fn) => deadlines.after(client.deadlines, delayMs, fn),
        leaptSince: deadlines.leaptSince,
        kin: clients.kin,
        saw: () => findings.saw(id),
        accuse(client, { observed, evidence }) {
          const added = findings.add({
            rule: id,
            client: nameOf(client),
            observed,
            advice,
            evidence: () => entriesOf(evidence, journal),
          })
          if (added) client.findings++
        },
      }),
    )
  let told = sortOut(watchAnew())

  return {
    asked(request) {
      const client = clients.of(request.wallet, request)
      client.requests++
      const readBeforeMs = request.method === 'GET' ? noteRead(client, request) : null
      return Object.assign(request, { client, epoch, readBeforeMs })
    },
    answered(request, answer) {
      if (request.epoch !== epoch) return
      const whole: ObservedRequest = Object.assign(request, answer)
      for (const answered of told.answered) answered(whole)
    },
    opened({ entry, ...opening }) {
      const { remoteAddress, userAgent } = opening
      const since = epoch
      const stranger = clients.of(null, { remoteAddress, userAgent })
      stranger.openSockets++
      const socket: ObservedSocket = {
        ...opening,
        openedMs: clock.nowMs(),
        client: stranger,
        authenticatedMs: null,
        ticketIssuedMs: Number.NEGATIVE_INFINITY,
        rooms: new Set(),
        isOpen: true,
        entries: [entry],
      }
      for (const opened of told.opened) opened(socket)
      return {
        authenticated({ wallet, issuedMs }) {
          socket.ticketIssuedMs = issuedMs
          if (socket.authenticatedMs !== null) return
          socket.authenticatedMs = clock.nowMs()
          socket.client.openSockets--
          socket.client = clients.of(wallet, { remoteAddress, userAgent })
          socket.client.openSockets++
        },
        frame(frame) {
          if (since !== epoch) return
          if (frame.action === 'authenticate' && frame.outcome === 'authenticated')
            socket.entries.push(frame.entry)
          for (const tell of told.frame) tell(socket, frame)
          // Afterwards, so that rules see whether it is a further one.
          if (frame.action === 'subscribe' && frame.refusal === null) socket.rooms.add(frame.room)
          if (frame.action === 'unsubscribe') socket.rooms.delete(frame.room)
        },
        sent(message) {
          if (since === epoch) for (const tell of told.sent) tell(socket, message)
        },
        closed(end) {
          if (!socket.isOpen) return
          socket.isOpen = false
          socket.client.openSockets--
          if (since === epoch) for (const tell of told.closed) tell(socket, end)
        },
        clientName: () => nameOf(socket.client),
      }
    },
    read: findings.read,
    clients: () => overviewOf(clients.all()),
    hold: deadlines.hold,
    release: deadlines.release,
    forget() {
      epoch++
      deadlines.clear()
      clients.clear()
      told = sortOut(watchAnew())
    },
  }
}

/** By name: what a wallet’s only program sends without a credential counts as the wallet’s. */
function overviewOf(clients: readonly Client[]): ClientOverview[] {
  const byName = new Map<string, ClientOverview>()
  for (const one of clients) {
    const client = nameOf(one)
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

/** When it had read the same path before. */
function noteRead(client: Client, { url, route, arrivedMs }: Asked): number | null {
  const { reads } = client
  const path = pathOf(url)
  const beforeMs = reads.get(path) ?? null
  // The newest stand last.
  if (beforeMs !== null) reads.delete(path)
  reads.set(path, arrivedMs)
  if (reads.size > READS_MAX) {
    const [oldest] = reads.keys()
    reads.delete(oldest ?? '')
  }
  if (route === '/protocol/state') client.minimumAsked = Math.max(client.minimumAsked, minimumRevisionOf(url))
  return beforeMs
}

/** Each kind of news to those alone that want it. */
function sortOut(watches: readonly Watch[]) {
  const those = <Name extends keyof Watch>(name: Name) =>
    watches.flatMap((watch) => {
      const tell = watch[name]
      return tell ? [tell as NonNullable<Watch[Name]>] : [] // as: it is there
    })
  return {
    answered: those('answered'),
    opened: those('opened'),
    frame: those('frame'),
    sent: those('sent'),
    closed: those('closed'),
  }
}

function entriesOf(numbers: readonly number[], journal: Pick<ActivityJournal, 'find'>): JournalEntry[] {
  const sorted = [...new Set(numbers)].sort((a, b) => a - b)
  return sorted.flatMap((number) => journal.find(number) ?? [])
}

import type { Client } from '../client.ts'
import type { Deadline } from '../deadlines.ts'
import { type ObservedSocket, parseMinimumRevision, parsePath, type RequestArrival } from '../observed.ts'
import { type ObserverRule, ofEach } from '../observer-rule.ts'
import { createEarlyRetries, createWaits } from './required-waits.ts'

const CONFIG_REFETCH_MS = 30_000

type Announced = { revision: number; atMs: number; entry: number }
/** Failed requests for a revision: the last one, and when it should have been sent again. */
type FailedRequest = { revision: number; count: number; arrivedMs: number; status: number; retryByMs: number }
type Requested = RequestArrival & { client: Client }
type Unread = { minimum: number; untilMs: number; endedMs: number }

const NEVER = Number.NEGATIVE_INFINITY

export const configRefetches: ObserverRule = {
  id: 'client.config.refetches',
  advice:
    'On ProtocolConfigChanged, request GET /protocol/state?minimum_revision= with the revision of the event, and retry if that fails.',
  watch({ nowMs, after, kin, begin, handled, report }) {
    /** Pending revisions of a socket: the oldest, and the newest. */
    const open = new WeakMap<ObservedSocket, { oldest: Announced; newest: Announced }>()
    const failures = new WeakMap<Client, FailedRequest>()
    const served = ofEach<Client, { revision: number }>(() => ({ revision: -1 }))
    /** The last request for a revision that failed, with the end of its wait; and the last one that ended. */
    const getUnread = ofEach<Client, Unread>(() => ({
      minimum: Number.POSITIVE_INFINITY,
      untilMs: NEVER,
      endedMs: NEVER,
    }))
    const noteEnd = ({ client, url, arrivedMs }: Requested, end: { isFailure: boolean; untilMs: number }) => {
      const unread = getUnread(client)
      const minimum = parseMinimumRevision(url)
      if (minimum < 0) return
      unread.endedMs = Math.max(unread.endedMs, arrivedMs)
      if (!end.isFailure && minimum < unread.minimum) return
      // Only the first success ends a wait: others are reads of a revision that the client has.
      unread.untilMs = end.untilMs
      unread.minimum = end.isFailure ? minimum : Number.POSITIVE_INFINITY
    }
    /** A client may read one revision after the other: the time until which it is busy with an older one. */
    const findBusy = (client: Client) => {
      const { endedMs, untilMs } = getUnread(client)
      return client.minimumMs > endedMs ? client.minimumMs : untilMs
    }
    /** The failure that the client left at that: its only request for the revision. */
    const findLeft = (client: Client, revision: number): FailedRequest | undefined => {
      const failed = failures.get(client)
      if (!failed || failed.count > 1 || failed.revision < revision) return undefined
      return client.reads.get('/protocol/state') === failed.arrivedMs ? failed : undefined
    }
    const hasRequested = (client: Client, revision: number) =>
      kin(client).some((one) => one.minimumRequested >= revision && !findLeft(one, revision))

    const wait = (socket: ObservedSocket, oldest: Announced, newest: Announced) => {
      begin()
      open.set(socket, { oldest, newest })
      judgeAt(socket, oldest.atMs + CONFIG_REFETCH_MS)
    }
    const judgeAt = (socket: ObservedSocket, atMs: number) => {
      const { client } = socket
      after(client, atMs - nowMs(), () => {
        const announced = open.get(socket)
        if (!announced || !socket.isOpen || !socket.hasSentAll()) return void open.delete(socket)
        const { oldest, newest } = announced
        const [left] = kin(client).flatMap((one) => findLeft(one, oldest.revision) ?? [])
        if (left && left.retryByMs > nowMs()) return judgeAt(socket, left.retryByMs)
        const isMissed = !hasRequested(client, oldest.revision)
        const freeMs = Math.max(findLimitEnd(kin(client)), ...kin(client).map(findBusy))
        const busyMs = Math.max(freeMs, socket.releasedMs()) + CONFIG_REFETCH_MS
        if (isMissed && busyMs > nowMs()) return judgeAt(socket, busyMs)
        open.delete(socket)
        if (isMissed) return reportMissed(socket, oldest, left)
        handled()
        if (!hasRequested(client, newest.revision)) wait(socket, newest, newest)
      })
    }
    const reportMissed = (socket: ObservedSocket, { revision, entry }: Announced, left?: FailedRequest) =>
      report(socket.client, {
        observed: left
          ? `socket ${socket.number} got revision ${revision}, but the request for it got ${left.status} and was not sent again`
          : `socket ${socket.number} got revision ${revision}, but within ${CONFIG_REFETCH_MS / 1000} s /protocol/state was not requested with a minimum_revision of at least that`,
        evidence: [...socket.entries, entry],
      })

    return {
      lost(request) {
        if (isOfState(request)) noteEnd(request, { isFailure: true, untilMs: request.lostMs })
      },
      responded(request) {
        const { client, url, status, code, arrivedMs, respondedMs, retryAfterMs } = request
        if (!isOfState(request)) return
        const isFailure = status === 429 || status >= 500
        noteEnd(request, { isFailure, untilMs: respondedMs + (retryAfterMs ?? 0) })
        served(client).revision = Math.max(served(client).revision, request.servedRevision ?? -1)
        // Another rule checks revisions that are pending.
        if (!isFailure || code === 'protocol_revision_pending') return void failures.delete(client)
        const revision = parseMinimumRevision(url)
        const before = failures.get(client)
        const count = before?.revision === revision ? before.count + 1 : 1
        const retryByMs = respondedMs + (retryAfterMs ?? 0) + CONFIG_REFETCH_MS
        failures.set(client, { revision, count, arrivedMs, status, retryByMs })
      },
      sent(socket, message) {
        if (!('revision' in message) || socket.authenticatedMs === null) return
        const { revision, entry } = message
        // An event that comes late announces nothing new.
        const isKnown = kin(socket.client).some((one) => served(one).revision >= revision)
        if (isKnown || hasRequested(socket.client, revision)) return
        const announced = { revision, atMs: nowMs(), entry }
        const waiting = open.get(socket)
        if (waiting) waiting.newest = announced
        else wait(socket, announced, announced)
      },
    }
  },
}

const RETRY_MS = 30_000

export const configRetriesPending: ObserverRule = {
  id: 'client.config.retries-pending',
  advice: 'Wait for the time in Retry-After, then send the request again, until the revision is available.',
  watch({ nowMs, after, kin, begin, handled, report }) {
    const early = createEarlyRetries(kin)
    const waits = createWaits({ key: ({ url }) => parsePath(url), keptBy: 'same request', handled })
    const getRetry = ofEach<Client, { deadline: Deadline | null }>(() => ({ deadline: null }))
    return {
      lost: waits.settle,
      responded(request) {
        const { client, code, url, respondedMs, retryAfterMs, entry } = request
        waits.settle(request)
        if (code !== 'protocol_revision_pending' || retryAfterMs === null) return
        begin()
        waits.begin(request, retryAfterMs)
        const tooEarly = early.find(request, { isRejected: true })
        if (tooEarly)
          report(client, {
            observed: `requested ${shown(url)} again before Retry-After had passed, ${tooEarly.times}`,
            evidence: tooEarly.entries,
          })
        const path = parsePath(url)
        // One deadline for each client, whatever loop it runs: the last response decides.
        const waiting = getRetry(client)
        waiting.deadline?.cancel()
        const judge = () => {
          const all = kin(client)
          const hasRetried = all.some(
            ({ reads }) => (reads.get(path) ?? Number.NEGATIVE_INFINITY) > respondedMs,
          )
          // A client without an open socket may have exited.
          if (hasRetried || !all.some(({ openSockets }) => openSockets > 0)) return
          const limitedMs = findLimitEnd(all) + RETRY_MS
          if (limitedMs > nowMs()) {
            waiting.deadline = after(client, limitedMs - nowMs(), judge)
            return
          }
          report(client, {
            observed: `requested ${shown(url)}, which was pending, but not again within ${RETRY_MS / 1000} s after Retry-After`,
            evidence: [entry],
          })
        }
        waiting.deadline = after(client, retryAfterMs + RETRY_MS, judge)
      },
    }
  },
}

function isOfState({ method, url }: RequestArrival): boolean {
  return method === 'GET' && parsePath(url) === '/protocol/state'
}

/** When the last of these, which may be one program, need no longer wait after a 429. */
function findLimitEnd(all: readonly Client[]): number {
  return Math.max(...all.map(({ freeMs }) => freeMs))
}

/** Hides the rest of the query. */
function shown(url: string): string {
  return `${parsePath(url)}?minimum_revision=${parseMinimumRevision(url)}`
}

import type { Client } from '../client.ts'
import type { Deadline } from '../deadlines.ts'
import { type ObservedSocket, parseMinimumRevision, parsePath } from '../observed.ts'
import { type ObserverRule, ofEach, type RuleTools } from '../observer-rule.ts'
import { LOADED_BEFORE_MS, watchReconnections } from './reconnects.ts'
import { createEarlyRetries } from './retries.ts'
import { createStreamReads } from './stream-reads.ts'

/** Time allowed for a refetch, and for each further step of one that makes progress. */
const REFETCH_MS = 30_000
/** A client whose requests fail or hang for this long is not judged. */
const UNCERTAIN_MS = 300_000

type Demand = {
  /** Named in the finding. */
  cause: string
  sinceMs: number
  keptSinceMs: number
  rooms: readonly string[]
  evidence: readonly number[]
}

/** Checks that clients read again what they keep of the demanded rooms, as long as they are in them. */
function watchRefetches(tools: RuleTools) {
  const { nowMs, after, countCase, report } = tools
  const reads = createStreamReads(tools)
  /** The newest demand, if the socket already has a deadline. */
  const waiting = new WeakMap<ObservedSocket, { newest: Demand }>()

  const judge = (socket: ObservedSocket, demand: Demand, before: number): boolean => {
    const { client, rooms: joined } = socket
    const { sinceMs, cause, evidence } = demand
    const rooms = demand.rooms.filter((room) => joined.has(room))
    const { due, missing, progress, isUncertain, freeAtMs } = reads.compare({ ...demand, client, rooms })
    if (missing.length > 0) {
      const isBusy = progress > before || freeAtMs + REFETCH_MS > nowMs()
      const isOver = isUncertain && nowMs() - sinceMs >= UNCERTAIN_MS
      if (isOver) return true
      if (isBusy || isUncertain) {
        expectBy(socket, demand, { atMs: nowMs() + REFETCH_MS, before: progress })
        return false
      }
      report(client, {
        observed: `${missing.length} of ${due} views were not read again within ${REFETCH_MS / 1000} s of ${cause}: ${missing.slice(0, 3).join(', ')}`,
        evidence,
      })
    }
    if (due > 0) countCase()
    return true
  }
  const expectBy = (
    socket: ObservedSocket,
    demand: Demand,
    { atMs, before }: { atMs: number; before: number },
  ) => {
    after(socket.client, atMs - nowMs(), () => {
      const newest = waiting.get(socket)?.newest
      const isGone = !socket.isOpen || !socket.hasSentAll()
      if (!isGone && !judge(socket, demand, before)) return
      waiting.delete(socket)
      if (!isGone && newest && newest !== demand) expect(socket, newest)
    })
  }
  const expect = (socket: ObservedSocket, demand: Demand) => {
    const open = waiting.get(socket)
    if (open) {
      open.newest = demand
      return
    }
    waiting.set(socket, { newest: demand })
    const { progress: before } = reads.compare({ ...demand, client: socket.client })
    expectBy(socket, demand, { atMs: demand.sinceMs + REFETCH_MS, before })
  }
  return { responded: reads.responded, expect }
}

export const resyncRefetches: ObserverRule = {
  id: 'client.resync.refetches',
  advice:
    'As soon as `resync_required` comes, read all data that the socket’s rooms keep up to date from REST again, and retry if that fails.',
  watch(tools) {
    const { responded, expect } = watchRefetches(tools)
    return {
      responded,
      sent(socket, message) {
        if (!('control' in message) || message.control !== 'resync_required') return
        expect(socket, {
          cause: `resync_required on socket ${socket.number}`,
          sinceMs: tools.nowMs(),
          keptSinceMs: socket.openedMs - LOADED_BEFORE_MS,
          rooms: [...socket.rooms],
          evidence: [...socket.entries, message.entry],
        })
      },
    }
  },
}

export const reconnectRefetches: ObserverRule = {
  id: 'client.reconnect.refetches',
  advice:
    'After `synchronized`, read all data that the rooms keep up to date from REST again, and retry if that fails: missed events are not sent again.',
  watch(tools) {
    const { responded, expect } = watchRefetches(tools)
    const { frame, closed, lostBefore } = watchReconnections(tools)
    const demanded = ofEach<ObservedSocket, Set<string>>(() => new Set())
    return {
      responded,
      frame,
      closed,
      sent(socket, message) {
        const lost = lostBefore(socket)
        if (!lost || !('control' in message) || message.control !== 'synchronized') return
        const known = demanded(socket)
        const rooms = [...lost.rooms].filter((room) => socket.rooms.has(room) && !known.has(room))
        if (rooms.length === 0) return
        for (const room of rooms) known.add(room)
        expect(socket, {
          cause: `\`synchronized\` on socket ${socket.number}, which replaced a lost one`,
          sinceMs: tools.nowMs(),
          keptSinceMs: lost.keptSinceMs,
          rooms,
          evidence: [...lost.entries, ...socket.entries, message.entry],
        })
      },
    }
  },
}

const CONFIG_REFETCH_MS = 30_000

type Announced = { revision: number; atMs: number; entry: number }
/** Failed requests for a revision: the last one, and when it should have been sent again. */
type FailedRequest = { revision: number; count: number; arrivedMs: number; status: number; retryByMs: number }

export const configRefetches: ObserverRule = {
  id: 'client.config.refetches',
  advice:
    'On ProtocolConfigChanged, request GET /protocol/state?minimum_revision= with the revision of the event, and retry if that fails.',
  watch({ nowMs, after, kin, countCase, report }) {
    /** Pending revisions of a socket: the oldest, and the newest. */
    const open = new WeakMap<ObservedSocket, { oldest: Announced; newest: Announced }>()
    const failures = new WeakMap<Client, FailedRequest>()
    /** The failure that the client left at that: its only request for the revision. */
    const findLeft = (client: Client, revision: number): FailedRequest | undefined => {
      const failed = failures.get(client)
      if (!failed || failed.count > 1 || failed.revision < revision) return undefined
      return client.reads.get('/protocol/state') === failed.arrivedMs ? failed : undefined
    }
    const hasRequested = (client: Client, revision: number) =>
      kin(client).some((one) => one.minimumRequested >= revision && !findLeft(one, revision))

    const wait = (socket: ObservedSocket, oldest: Announced, newest: Announced) => {
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
        open.delete(socket)
        if (!hasRequested(client, oldest.revision)) return reportMissed(socket, oldest, left)
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
      responded({ client, method, url, status, code, arrivedMs, respondedMs, retryAfterMs }) {
        if (method !== 'GET' || parsePath(url) !== '/protocol/state') return
        // Another rule checks revisions that are pending.
        if ((status !== 429 && status < 500) || code === 'protocol_revision_pending')
          return void failures.delete(client)
        const revision = parseMinimumRevision(url)
        const before = failures.get(client)
        const count = before?.revision === revision ? before.count + 1 : 1
        const retryByMs = respondedMs + (retryAfterMs ?? 0) + CONFIG_REFETCH_MS
        failures.set(client, { revision, count, arrivedMs, status, retryByMs })
      },
      sent(socket, message) {
        if (!('revision' in message) || socket.authenticatedMs === null) return
        countCase()
        const { revision, entry } = message
        if (hasRequested(socket.client, revision)) return
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
  watch({ after, kin, countCase, report }) {
    const early = createEarlyRetries()
    const getRetry = ofEach<Client, { deadline: Deadline | null }>(() => ({ deadline: null }))
    return {
      responded(request) {
        const { client, code, url, respondedMs, retryAfterMs, entry } = request
        if (code !== 'protocol_revision_pending' || retryAfterMs === null) return
        countCase()
        const waits = early.refused(request)
        if (waits)
          report(client, {
            observed: `requested ${shown(url)} again before Retry-After had passed, ${waits.length - 1} times in a row`,
            evidence: waits,
          })
        const path = parsePath(url)
        // One deadline for each client, whatever loop it runs: the last response decides.
        const waiting = getRetry(client)
        waiting.deadline?.cancel()
        waiting.deadline = after(client, retryAfterMs + RETRY_MS, () => {
          const all = kin(client)
          const hasRetried = all.some(
            ({ reads }) => (reads.get(path) ?? Number.NEGATIVE_INFINITY) > respondedMs,
          )
          // A client without an open socket may have exited.
          if (hasRetried || !all.some(({ openSockets }) => openSockets > 0)) return
          report(client, {
            observed: `requested ${shown(url)}, which was pending, but not again within ${RETRY_MS / 1000} s after Retry-After`,
            evidence: [entry],
          })
        })
      },
    }
  },
}

/** Hides the rest of the query. */
function shown(url: string): string {
  return `${parsePath(url)}?minimum_revision=${parseMinimumRevision(url)}`
}

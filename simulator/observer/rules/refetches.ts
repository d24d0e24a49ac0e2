import type { Client } from '../client.ts'
import type { Deadline } from '../deadlines.ts'
import { type ObservedFrame, type ObservedSocket, parseMinimumRevision, parsePath } from '../observed.ts'
import { type ObserverRule, ofEach, type RuleTools } from '../observer-rule.ts'
import { LOADED_BEFORE_MS, watchReconnections } from './reconnects.ts'
import { createEarlyRetries, createWaits } from './retries.ts'
import { createStreamReads, REFETCH_MS } from './stream-reads.ts'

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

/**
 * Checks that clients read again what they keep of the demanded rooms, as long as they are in them. A room that two
 * sockets of a client are in is not checked: one of them may belong to a program that keeps nothing.
 */
function watchRefetches(tools: RuleTools) {
  const { nowMs, after, begin, countCase, report } = tools
  const reads = createStreamReads(tools)
  /** The newest demand, if the socket already has a deadline. */
  const waiting = new WeakMap<ObservedSocket, { newest: Demand }>()
  const getSockets = ofEach<Client, Set<ObservedSocket>>(() => new Set())
  const isShared = (room: string, socket: ObservedSocket) =>
    [...getSockets(socket.client)].some((other) => other !== socket && other.rooms.has(room))

  /** False if the client is not finished yet. */
  const judge = (socket: ObservedSocket, demand: Demand): boolean => {
    const { client } = socket
    const { sinceMs, cause, evidence } = demand
    const rooms = demand.rooms.filter((room) => socket.rooms.has(room) && !isShared(room, socket))
    const { due, missing, isUncertain, busyMs } = reads.compare({ ...demand, client, rooms })
    if (missing.length > 0) {
      if (isUncertain && nowMs() - sinceMs >= UNCERTAIN_MS) {
        begin()
        return true
      }
      if (isUncertain || nowMs() - busyMs < REFETCH_MS) return false
      report(client, {
        observed: `${missing.length} of ${due} views were not read again within ${REFETCH_MS / 1000} s of ${cause}: ${missing.slice(0, 3).join(', ')}`,
        evidence,
      })
    }
    if (due > 0) countCase()
    return true
  }
  const judgeIn = (delayMs: number, socket: ObservedSocket, demand: Demand) => {
    after(socket.client, delayMs, () => {
      const newest = waiting.get(socket)?.newest
      const isGone = !socket.isOpen || !socket.hasSentAll()
      if (!isGone && !judge(socket, demand)) return judgeIn(REFETCH_MS, socket, demand)
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
    judgeIn(Math.max(0, demand.sinceMs + REFETCH_MS - nowMs()), socket, demand)
  }
  return {
    expect,
    responded: reads.responded,
    frame(socket: ObservedSocket, { action }: ObservedFrame) {
      if (action === 'authenticate' && socket.authenticatedMs !== null) getSockets(socket.client).add(socket)
    },
    closed: (socket: ObservedSocket) => void getSockets(socket.client).delete(socket),
  }
}

export const resyncRefetches: ObserverRule = {
  id: 'client.resync.refetches',
  advice:
    'As soon as `resync_required` comes, read all data that the socket’s rooms keep up to date from REST again, and retry if that fails.',
  watch(tools) {
    const { expect, ...watch } = watchRefetches(tools)
    return {
      ...watch,
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
    const { expect, ...watch } = watchRefetches(tools)
    const { frame, closed, lostBefore } = watchReconnections(tools)
    const demanded = ofEach<ObservedSocket, Set<string>>(() => new Set())
    return {
      responded: watch.responded,
      frame(socket, news) {
        watch.frame(socket, news)
        frame(socket, news)
      },
      closed(socket, end) {
        watch.closed(socket)
        closed(socket, end)
      },
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
  watch({ nowMs, after, kin, begin, handled, report }) {
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
        open.delete(socket)
        if (!hasRequested(client, oldest.revision)) return reportMissed(socket, oldest, left)
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
  watch({ after, kin, begin, handled, report }) {
    const early = createEarlyRetries()
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

import type { Client } from '../client.ts'
import type { Deadline } from '../deadlines.ts'
import { type ObservedSocket, parseMinimumRevision, parsePath, parseSegments } from '../observed.ts'
import { BoundedMap, type ObserverRule, ofEach } from '../observer-rule.ts'
import { RESTORE_MS, watchReconnections } from './reconnects.ts'
import { createEarlyRetries } from './retries.ts'

const REFETCH_MS = 30_000

type AwaitedRefetch = { atMs: number; rooms: readonly string[]; entry: number }

export const resyncRefetches: ObserverRule = {
  id: 'client.resync.refetches',
  advice: 'Read the data that the rooms keep up to date from REST again as soon as `resync_required` comes.',
  watch({ nowMs, after, kin, countCase, report }) {
    /** The newest one, if the socket already has a deadline. */
    const waiting = new WeakMap<ObservedSocket, { newest: AwaitedRefetch }>()
    const listReads = ({ client }: ObservedSocket, rooms: readonly string[]) =>
      streamReads({ client, kin: kin(client), rooms })

    const wait = (socket: ObservedSocket, requested: AwaitedRefetch) => {
      const open = { newest: requested }
      waiting.set(socket, open)
      after(socket.client, requested.atMs + REFETCH_MS - nowMs(), () => {
        waiting.delete(socket)
        if (!socket.isOpen || !socket.hasSentAll()) return
        const reads = listReads(socket, requested.rooms)
        if (reads) countCase()
        if (reads && reads.lastMs < requested.atMs) {
          report(socket.client, {
            observed: `nothing was read again within ${REFETCH_MS / 1000} s of resync_required on socket ${socket.number}, such as ${reads.paths[0]}`,
            evidence: [...socket.entries, requested.entry],
          })
        } else if (open.newest !== requested) wait(socket, open.newest)
      })
    }

    return {
      sent(socket, message) {
        if (!('control' in message) || message.control !== 'resync_required') return
        const requested = { atMs: nowMs(), rooms: [...socket.rooms], entry: message.entry }
        const open = waiting.get(socket)
        if (open) open.newest = requested
        else wait(socket, requested)
      },
    }
  },
}

export const reconnectRefetches: ObserverRule = {
  id: 'client.reconnect.refetches',
  advice:
    'After `synchronized`, read the data that the rooms keep up to date from REST again: missed events are not sent again.',
  watch: (tools) =>
    watchReconnections(tools, ({ socket, lost }) => {
      const { client, authenticatedMs } = socket
      const reads = streamReads({ client, kin: tools.kin(client), rooms: lost.rooms })
      if (!reads || reads.lastMs >= (authenticatedMs ?? 0)) return
      tools.report(client, {
        observed: `socket ${socket.number} replaced a lost one ${RESTORE_MS / 1000} s ago, but nothing was read again, such as ${reads.paths[0]}`,
        evidence: [...lost.entries, ...socket.entries],
      })
    }),
}

const CONFIG_REFETCH_MS = 30_000

type Announced = { revision: number; atMs: number; entry: number }

export const configRefetches: ObserverRule = {
  id: 'client.config.refetches',
  advice:
    'On ProtocolConfigChanged, request GET /protocol/state?minimum_revision= with the revision of the event.',
  watch({ nowMs, after, kin, countCase, report }) {
    /** Pending revisions of a socket: the oldest, and the newest. */
    const open = new WeakMap<ObservedSocket, { oldest: Announced; newest: Announced }>()
    const requestedBy = (client: Client) =>
      Math.max(...kin(client).map(({ minimumRequested }) => minimumRequested))

    const wait = (socket: ObservedSocket, oldest: Announced, newest: Announced) => {
      const announced = { oldest, newest }
      open.set(socket, announced)
      after(socket.client, oldest.atMs + CONFIG_REFETCH_MS - nowMs(), () => {
        open.delete(socket)
        if (!socket.isOpen || !socket.hasSentAll()) return
        const requested = requestedBy(socket.client)
        if (requested < announced.oldest.revision) return reportMissed(socket, announced.oldest)
        if (requested < announced.newest.revision) wait(socket, announced.newest, announced.newest)
      })
    }
    const reportMissed = (socket: ObservedSocket, { revision, entry }: Announced) =>
      report(socket.client, {
        observed: `socket ${socket.number} got revision ${revision}, but within ${CONFIG_REFETCH_MS / 1000} s /protocol/state was not requested with a minimum_revision of at least that`,
        evidence: [...socket.entries, entry],
      })

    return {
      sent(socket, message) {
        if (!('revision' in message) || socket.authenticatedMs === null) return
        countCase()
        const { revision, entry } = message
        if (requestedBy(socket.client) >= revision) return
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

/** REST reads of a client that its rooms keep up to date. */
type StreamReads = {
  paths: readonly string[]
  lastMs: number
}

/**
 * Reads that depend on the rooms: a pool’s own records on its rooms, lists of pools on launches, balances and amounts
 * owed on the balance room, the configuration on its room. Undefined without any: then there is nothing to refetch.
 * Reads without a credential count if they come from a program of the client.
 */
function streamReads(options: {
  client: Client
  kin: readonly Client[]
  rooms: Iterable<string>
}): StreamReads | undefined {
  const { client, kin } = options
  const dependsOn = matchDependentPaths(options.rooms)
  const paths: string[] = []
  let lastMs = Number.NEGATIVE_INFINITY
  for (const other of kin) {
    const isOwn = other === client || sitsThere(client, other)
    for (const [path, readMs] of other.reads) {
      if (!dependsOn(path)) continue
      if (isOwn) paths.push(path)
      lastMs = Math.max(lastMs, readMs)
    }
  }
  return paths.length === 0 ? undefined : { paths, lastMs }
}

const POOL_ROOM = /^(pool_stats|ohlcv|trades):(.*)$/s
const ACCOUNT = /^\/(balances|positions|portfolio|unclaimed)(\/|$)/
const CONFIGURATION = /^\/(protocol\/state|fee-tiers|compliance)/
const LISTS: ReadonlySet<string> = new Set(['/pools', '/explore/pools'])

/** True for a path that some of the rooms keep up to date. */
function matchDependentPaths(rooms: Iterable<string>): (path: string) => boolean {
  const keys = new Set<string>()
  const others = new Set<string>()
  for (const room of rooms) {
    const key = POOL_ROOM.exec(room)?.[2]
    if (key !== undefined) keys.add(key)
    else others.add(room.startsWith('balances:') ? 'balances' : room)
  }
  return (path) =>
    (keys.size > 0 && path.startsWith('/pools/') && keys.has(parsePool(path))) ||
    (others.has('balances') && ACCOUNT.test(path)) ||
    (others.has('protocol_config') && CONFIGURATION.test(path)) ||
    (others.has('pool_launches') && LISTS.has(path))
}

const PATHS_KEPT = 5000
const poolByPath = new BoundedMap<string, string>(PATHS_KEPT)

/** Cached: thousands of sockets may be checked at once, with the same few paths. */
function parsePool(path: string): string {
  const known = poolByPath.get(path)
  if (known !== undefined) return known
  const pool = parseSegments(path)[2] ?? ''
  poolByPath.set(path, pool)
  return pool
}

/** True if the stranger’s program is one of the client’s. */
function sitsThere({ seats }: Client, stranger: Client): boolean {
  const [seat] = stranger.seats
  return seats.some((own) => own.remoteAddress === seat?.remoteAddress && own.userAgent === seat?.userAgent)
}

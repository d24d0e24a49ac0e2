import type { Client } from '../client.ts'
import { type ObservedRequest, parseMinimumRevision, parsePath, parseSegments } from '../observed.ts'
import { BoundedMap, ofEach, type RuleTools } from '../observer-rule.ts'

export type StreamReads = {
  /** Call for each response. */
  responded(request: ObservedRequest): void
  /** Compares the data that the client keeps, and that these rooms are about, with what it has read again. */
  compare(options: { client: Client; rooms: readonly string[]; sinceMs: number; keptSinceMs: number }): {
    /** Number of rooms whose data the client keeps. */
    due: number
    /** A path for each of these rooms whose data was not read again. */
    missing: readonly string[]
    /** A response is outstanding or was cut off, or retries failed: the client may have done what it could. */
    isUncertain: boolean
    /** Time of its last step, or of the end of a wait that a response required. */
    busyMs: number
  }
}

/** Reads of one path. Times are arrivals; those without a response are in `Client.reads`. */
type Read = {
  arrivedMs: number
  /** The last that got its data, or a 4xx: it does not exist. */
  goodMs: number
  /** The last that got data which the client may keep. */
  keptMs: number
  failedMs: number
  failedBeforeMs: number
  url: string
  /**
   * Response to the last read that was a step of a refetch: another page, a failure, or the first for a while; or the end of the
   * wait that it required.
   */
  steppedMs: number
}

/** Time allowed for a refetch, and after each of its steps. */
export const REFETCH_MS = 30_000
const READS_MAX = 1000
const NEVER = Number.NEGATIVE_INFINITY

export function createStreamReads({ kin }: Pick<RuleTools, 'kin'>): StreamReads {
  const getReads = ofEach<Client, BoundedMap<string, Read>>(() => new BoundedMap(READS_MAX))

  return {
    responded({ client, method, url, status, arrivedMs, respondedMs, retryAfterMs }) {
      const path = parsePath(url)
      if (method !== 'GET' || !findSource(path)) return
      const reads = getReads(client)
      const read = reads.get(path) ?? { ...NOT_READ, url }
      // Newest last.
      reads.delete(path)
      reads.set(path, read)
      const isFailure = status === 429 || status >= 500
      const isAnother = read.url !== url || arrivedMs - read.arrivedMs >= REFETCH_MS
      // A state for each event’s revision is no step, or frequent events would put off the judgment forever.
      if (isFailure || (isAnother && isKept(url))) read.steppedMs = respondedMs + (retryAfterMs ?? 0)
      read.url = url
      read.arrivedMs = Math.max(read.arrivedMs, arrivedMs)
      if (isFailure) {
        read.failedBeforeMs = read.failedMs
        read.failedMs = arrivedMs
        return
      }
      read.goodMs = arrivedMs
      if (status < 400 && isKept(url)) read.keptMs = arrivedMs
    },

    compare({ client, rooms, sinceMs, keptSinceMs }) {
      const wanted = new Set(rooms.flatMap((room) => [room, parseTopic(room), parseOverview(room)]))
      const found = new Map<string, { path: string; isKept: boolean; isGood: boolean }[]>()
      let isUncertain = false
      let busyMs = NEVER
      for (const other of kin(client)) {
        const isOwn = other === client || sitsThere(client, other)
        busyMs = Math.max(busyMs, other.freeMs)
        const reads = getReads(other)
        // Also of other rooms: a client may read one after the other, and begin again if one fails.
        for (const [path, lastMs] of other.reads) {
          const respondedMs = reads.get(path)?.arrivedMs ?? NEVER
          isUncertain ||= lastMs >= sinceMs && lastMs > respondedMs && findSource(path) !== undefined
        }
        for (const [path, read] of reads) {
          const isGood = read.goodMs >= sinceMs
          isUncertain ||= !isGood && read.failedBeforeMs >= sinceMs
          const names = findSource(path)?.filter((name) => wanted.has(name)) ?? []
          if (names.length === 0) continue
          const isKept = isOwn && read.keptMs >= keptSinceMs
          for (const name of names) {
            const group = found.get(name)
            if (group) group.push({ path, isKept, isGood })
            else found.set(name, [{ path, isKept, isGood }])
          }
          busyMs = Math.max(busyMs, read.steppedMs)
        }
      }

      const missing: string[] = []
      let due = 0
      for (const room of rooms) {
        const exact = found.get(room) ?? []
        const reads = exact.some(({ isKept }) => isKept) ? exact : (found.get(parseTopic(room)) ?? [])
        const kept = reads.find(({ isKept }) => isKept)
        if (!kept) continue
        due++
        const overviews = found.get(parseOverview(room)) ?? []
        if (![...reads, ...overviews].some(({ isGood }) => isGood)) missing.push(kept.path)
      }
      return { due, missing: [...new Set(missing)], isUncertain, busyMs }
    },
  }
}

const NOT_READ = {
  arrivedMs: NEVER,
  goodMs: NEVER,
  keptMs: NEVER,
  failedMs: NEVER,
  failedBeforeMs: NEVER,
  steppedMs: NEVER,
}

/** A state requested for an event’s revision, or for a route, is used at once: it does not show what a client keeps. */
function isKept(url: string): boolean {
  return parsePath(url) !== '/route' && parseMinimumRevision(url) === -1
}

const ROOM_OF_PART: Readonly<Record<string, string>> = {
  trades: 'trades',
  stats: 'pool_stats',
  ohlcv: 'ohlcv',
}
const ACCOUNT = /^\/(balances|positions|portfolio|unclaimed)(\/|$)/
const CONFIGURATION = /^\/(protocol\/state|fee-tiers|compliance|route$)/
/** Figures of many pools, which a client may read instead of those of each. */
const OVERVIEWS = 'overviews'
const LISTS: Readonly<Record<string, readonly string[]>> = {
  '/pools': ['pool_launches'],
  '/pools/stats': [OVERVIEWS],
  '/explore/pools': ['pool_launches', OVERVIEWS],
}

const PATHS_KEPT = 5000
const sources = new BoundedMap<string, readonly string[] | undefined>(PATHS_KEPT)

/**
 * Rooms and topics that keep the data at a path up to date: a pool’s records its rooms, the lists launches, balances
 * and amounts owed the balance room, the configuration its room. Cached: thousands of sockets may be checked at once,
 * with the same few paths.
 */
function findSource(path: string): readonly string[] | undefined {
  if (sources.has(path)) return sources.get(path)
  const source = readSource(path)
  sources.set(path, source)
  return source
}

function readSource(path: string): readonly string[] | undefined {
  const list = LISTS[path]
  if (list) return list
  if (ACCOUNT.test(path)) return ['balances']
  if (CONFIGURATION.test(path)) return ['protocol_config']
  const [, pools, pool = '', part] = parseSegments(path)
  // The plain record does not depend on a stream.
  if (pools !== 'pools' || part === undefined) return undefined
  const room = ROOM_OF_PART[part]
  return room === undefined ? [`pool:${pool}`] : [`${room}:${pool}`, `pool:${pool}`]
}

/** The subject of a room. A client that reads other data of it than the room’s own depends on the room too. */
function parseTopic(room: string): string {
  const at = room.indexOf(':')
  if (at === -1) return room
  return room.startsWith('balances:') ? 'balances' : `pool:${room.slice(at + 1)}`
}

/** Reads that cover a room’s own ones; else the room itself. */
function parseOverview(room: string): string {
  return room.startsWith('pool_stats:') ? OVERVIEWS : room
}

/** True if the stranger’s program is one of the client’s. */
function sitsThere({ seats }: Client, stranger: Client): boolean {
  const [seat] = stranger.seats
  return seats.some((own) => own.remoteAddress === seat?.remoteAddress && own.userAgent === seat?.userAgent)
}

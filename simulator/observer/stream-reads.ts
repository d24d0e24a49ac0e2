import { BoundedMap } from './bounded-map.ts'
import type { Client } from './client.ts'
import { segmentsOf } from './url-parts.ts'

/** Of REST, what a client has read that its rooms tell of. */
export type StreamReads = {
  /** The paths, and when each was read last. */
  paths: readonly string[]
  lastMs: number
}

/**
 * What of the reads depends on the rooms: a pool’s own records on its rooms, lists of pools on launches, balances and what
 * is owed on the balance room, the configuration on its room. undefined where nothing does: then there is nothing to
 * refetch. Reads without a credential count where they come from a program of the client’s.
 */
export function streamReads(options: {
  client: Client
  kin: readonly Client[]
  rooms: Iterable<string>
}): StreamReads | undefined {
  const { client, kin } = options
  const dependsOn = dependentOf(options.rooms)
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

/** Whether a path’s record is one that some of the rooms tell of. */
function dependentOf(rooms: Iterable<string>): (path: string) => boolean {
  const keys = new Set<string>()
  const others = new Set<string>()
  for (const room of rooms) {
    const key = POOL_ROOM.exec(room)?.[2]
    if (key !== undefined) keys.add(key)
    else others.add(room.startsWith('balances:') ? 'balances' : room)
  }
  return (path) =>
    (keys.size > 0 && path.startsWith('/pools/') && keys.has(poolOf(path))) ||
    (others.has('balances') && ACCOUNT.test(path)) ||
    (others.has('protocol_config') && CONFIGURATION.test(path)) ||
    (others.has('pool_launches') && LISTS.has(path))
}

const PATHS_KEPT = 5000
const poolByPath = new BoundedMap<string, string>(PATHS_KEPT)

/** Thousands of sockets may be judged at once, by the same few paths. */
function poolOf(path: string): string {
  const known = poolByPath.get(path)
  if (known !== undefined) return known
  const pool = segmentsOf(path)[2] ?? ''
  poolByPath.set(path, pool)
  return pool
}

/** Whether the stranger’s program is one of the client’s. */
function sitsThere({ seats }: Client, stranger: Client): boolean {
  const [seat] = stranger.seats
  return seats.some((own) => own.remoteAddress === seat?.remoteAddress && own.userAgent === seat?.userAgent)
}

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
  const { client, rooms } = options
  const dependsOn = [...rooms].map(dependentOf)
  const mine = options.kin.filter((other) => other === client || sitsThere(client, other))
  const found = mine.flatMap(({ reads }) => [...reads].filter(([path]) => isAny(dependsOn, path)))
  if (found.length === 0) return undefined
  const others = options.kin.filter((other) => !mine.includes(other))
  const again = others.flatMap(({ reads }) => [...reads].filter(([path]) => isAny(dependsOn, path)))
  return {
    paths: [...new Set(found.map(([path]) => path))],
    lastMs: Math.max(...[...found, ...again].map(([, readMs]) => readMs)),
  }
}

type IsDependent = (path: string) => boolean

const POOL_ROOM = /^(pool_stats|ohlcv|trades):(.*)$/s
const ACCOUNT = /^\/(balances|positions|portfolio|unclaimed)(\/|$)/
const CONFIGURATION = /^\/(protocol\/state|fee-tiers|compliance)/
const LISTS: ReadonlySet<string> = new Set(['/pools', '/explore/pools'])

function dependentOf(room: string): IsDependent {
  const key = POOL_ROOM.exec(room)?.[2]
  if (key !== undefined) {
    return (path) => {
      const [, group, pool] = segmentsOf(path)
      return group === 'pools' && pool === key
    }
  }
  if (room.startsWith('balances:')) return (path) => ACCOUNT.test(path)
  if (room === 'protocol_config') return (path) => CONFIGURATION.test(path)
  if (room === 'pool_launches') return (path) => LISTS.has(path)
  return () => false
}

function isAny(dependsOn: readonly IsDependent[], path: string): boolean {
  return dependsOn.some((isDependent) => isDependent(path))
}

/** Whether the stranger’s program is one of the client’s. */
function sitsThere({ seats }: Client, stranger: Client): boolean {
  const [seat] = stranger.seats
  return seats.some((own) => own.remoteAddress === seat?.remoteAddress && own.userAgent === seat?.userAgent)
}

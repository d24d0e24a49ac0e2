import { findInexact } from '../../../contract/exact-fields.ts'
import type { Choices } from '../../../contract/profile.ts'
import type { RequestSpec } from '../requests/request.ts'

/** Reads of a pool whose records the specification leaves open. */
export const POOL_READS = ['ohlcv', 'liquidity-distribution', 'trades', 'stats', 'oracle']
export const POOLS_STATS = '/pools/stats'

/** Not aggregator routes, whose format is that of the aggregator. */
const OPEN = ['/tokens', POOLS_STATS, ...POOL_READS.map((name) => `/pools/{key}/${name}`)]

/** The rows of /explore/pools are not open, and have their own rule. */
function isOpenExplore(route: string): boolean {
  return route.startsWith('/explore/') && route !== '/explore/pools'
}

type OpenChoices = Pick<Choices, 'positionsPath' | 'balancesPath'>

/** Problems of fields with the names of exact figures, in reads whose records are open otherwise. */
export function findOpenInexact(
  { method, path, route = path }: Pick<RequestSpec, 'method' | 'path' | 'route'>,
  reply: { status: number; json: unknown },
  { positionsPath, balancesPath }: OpenChoices,
): string[] {
  const isOpen =
    OPEN.includes(route) || isOpenExplore(route) || route === positionsPath || route === balancesPath
  if (method !== 'GET' || reply.status !== 200 || !isOpen) return []
  // Parsed on demand, so not before.
  return findInexact(reply.json)
}

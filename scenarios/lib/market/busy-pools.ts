import type { Target } from '../../../contract/scenario-config.ts'
import { readCredential } from '../identity/credential.ts'
import { pickText } from '../pick.ts'
import { walkPages } from '../requests/walk.ts'
import { CannotJudge } from '../verdict/judge.ts'
import { listPools, readSwapEnds } from './swap-watch.ts'

const POOLS_MAX = 200

/** Keyed by target address; concurrent probes share one result. */
const kept = new Map<string, Promise<string[]>>()

/** Returns the keys of enabled pools, most recently traded first. Throws CannotJudge without any. */
export async function busyPools(target: Target): Promise<string[]> {
  const name = target.profile.baseUrl
  const pending = kept.get(name) ?? readBusyPools(target)
  kept.set(name, pending)
  try {
    return await pending
  } catch (error) {
    kept.delete(name)
    throw error
  }
}

async function readBusyPools(target: Target): Promise<string[]> {
  const swaps = await readSwapEnds(target, await readCredential(target))
  // The specification defines neither the page size nor the order.
  const pools = await walkPages(target, { path: '/pools', limit: 100, rowsMax: POOLS_MAX })
  const counts = new Map<string, number>()
  for (const row of pools.rows) {
    if (row.enabled !== false) counts.set(pickText(row, 'key') ?? '', 0)
  }
  for (const key of swaps.flatMap(listPools)) {
    const count = counts.get(key)
    if (count !== undefined) counts.set(key, count + 1)
  }
  counts.delete('')
  if (counts.size === 0) throw new CannotJudge('no pool to subscribe to')
  return [...counts].sort(([, left], [, right]) => right - left).map(([key]) => key)
}

/** Rooms of the most recently traded pools, where events arrive soon: one of each kind per pool. */
export async function busyRooms(
  target: Target,
  {
    count,
    kinds = ['pool_stats'],
  }: { count: number; kinds?: readonly ('pool_stats' | 'trades' | 'ohlcv')[] },
): Promise<string[]> {
  const pools = await busyPools(target)
  return pools.flatMap((key) => kinds.map((kind) => `${kind}:${key}`)).slice(0, count)
}

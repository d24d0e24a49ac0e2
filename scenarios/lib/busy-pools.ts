import type { Target } from '../../contract/scenario-config.ts'
import { CannotJudge } from './cannot.ts'
import { readCredential } from './credential.ts'
import { pickRows, pickText } from './pick.ts'
import { request } from './request.ts'
import { walkPages } from './walk.ts'

/** Enough to choose from. */
const POOLS_MAX = 100

/** Keys of enabled pools, those with the most recent swaps first. Throws CannotJudge where there are none. */
export async function busyPools(target: Target): Promise<string[]> {
  const credential = await readCredential(target)
  const swaps = await request(target, { method: 'GET', path: '/swaps', query: { limit: '100' }, credential })
  // How long a page is, and what comes first, is not stated.
  const pools = await walkPages(target, { path: '/pools', limit: 100, rowsMax: POOLS_MAX })
  const counts = new Map<string, number>()
  for (const row of pools.rows) {
    if (row.enabled !== false) counts.set(pickText(row, 'key') ?? '', 0)
  }
  for (const swap of pickRows(swaps.json, 'data') ?? []) {
    for (const hop of pickRows(swap, 'hops') ?? []) {
      const key = pickText(hop, 'pool') ?? ''
      const count = counts.get(key)
      if (count !== undefined) counts.set(key, count + 1)
    }
  }
  counts.delete('')
  if (counts.size === 0) throw new CannotJudge('no pool to subscribe to')
  return [...counts].sort(([, left], [, right]) => right - left).map(([key]) => key)
}

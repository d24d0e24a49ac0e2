import type { Target } from '../../contract/scenario-config.ts'
import { CannotJudge } from './cannot.ts'
import { readCredential } from './credential.ts'
import { pickRows, pickText } from './pick.ts'
import { request } from './request.ts'

/** Keys of enabled pools, those with the most recent swaps first. Throws CannotJudge where there are none. */
export async function busyPools(target: Target): Promise<string[]> {
  const credential = await readCredential(target)
  const swaps = await request(target, { method: 'GET', path: '/swaps', query: { limit: '100' }, credential })
  const pools = await request(target, { method: 'GET', path: '/pools', query: { limit: '100' } })
  const counts = new Map<string, number>()
  for (const row of pickRows(pools.json, 'data') ?? []) {
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

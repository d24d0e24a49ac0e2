// Paging: bounds, whole walks, order, filters and keys.
import { COMMON_OPTIONS, lane } from './lib/lane.ts'
import { runProbes } from './lib/probe/probe.ts'
import { pagingLimits, swapLimits } from './probes/paging-limits.ts'
import { exploreKeys, poolKeys } from './probes/pool-keys.ts'
import { swapsFilter } from './probes/swaps-filter.ts'
import { exploreWalk, poolsWalk, swapsWalk } from './probes/walks.ts'

export const options = { ...COMMON_OPTIONS, scenarios: lane('paging') }

export function paging(): Promise<void> {
  return runProbes('paging', [
    pagingLimits,
    swapLimits,
    poolsWalk,
    exploreWalk,
    poolKeys,
    exploreKeys,
    swapsFilter,
    swapsWalk,
  ])
}

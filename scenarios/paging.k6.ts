// Paging, and the records that pages are made of.
import { COMMON_OPTIONS, lane } from './lib/lane.ts'
import { runProbes } from './lib/probe.ts'
import { pagingLimits } from './probes/paging-limits.ts'
import { pagingWalk } from './probes/paging-walk.ts'
import { poolKeys, records } from './probes/records.ts'

export const options = { ...COMMON_OPTIONS, scenarios: lane('paging') }

export function paging(): Promise<void> {
  return runProbes('paging', [pagingLimits, pagingWalk, records, poolKeys])
}

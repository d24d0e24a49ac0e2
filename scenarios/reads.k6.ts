// Reads: records, search, and public endpoints.
import { COMMON_OPTIONS, lane } from './lib/lane.ts'
import { runProbes } from './lib/probe/probe.ts'
import { envelopes, errorBodies } from './probes/envelopes.ts'
import { searchByKey, searchByText } from './probes/explore-search.ts'
import { publicReads } from './probes/public-reads.ts'
import { poolRecord, recordLists, tokenInfos, tokenList, unclaimed, valuation } from './probes/records.ts'
import { claimFields, ownOutputs, swapsClaimed } from './probes/swaps-claimed.ts'

export const options = { ...COMMON_OPTIONS, scenarios: lane('reads') }

export function reads(): Promise<void> {
  return runProbes('reads', [
    ...recordLists,
    poolRecord,
    valuation,
    unclaimed,
    tokenInfos,
    tokenList,
    envelopes,
    errorBodies,
    searchByKey,
    searchByText,
    ...publicReads,
    swapsClaimed,
    claimFields,
    ownOutputs,
  ])
}

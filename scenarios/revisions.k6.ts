// Revisions of the protocol configuration: pending, announced, served.
import { COMMON_OPTIONS, lane } from './lib/lane.ts'
import { runProbes } from './lib/probe/probe.ts'
import { minimumRevision } from './probes/minimum-revision.ts'
import { pendingRevision, revisionEvent } from './probes/revisions.ts'

export const options = { ...COMMON_OPTIONS, scenarios: lane('revisions') }

export function revisions(): Promise<void> {
  return runProbes('revisions', [pendingRevision, revisionEvent, minimumRevision])
}

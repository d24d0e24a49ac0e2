// Routes and the revisions that make them stale.
import { COMMON_OPTIONS, lane } from './lib/lane.ts'
import { runProbes } from './lib/probe/probe.ts'
import { routing } from './probes/routing.ts'

export const options = { ...COMMON_OPTIONS, scenarios: lane('routes') }

export function routes(): Promise<void> {
  return runProbes('routing', [routing])
}

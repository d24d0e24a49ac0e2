// Slow rules: session lifetimes, refresh and its races, tickets, deadlines, frame limit, faucet.
import { world } from './lib/config.ts'
import { COMMON_OPTIONS, lane } from './lib/lane.ts'
import { runProbes, runProbesTogether } from './lib/probe/probe.ts'
import { hasControl } from './lib/time/has-control.ts'
import { tokenLife } from './probes/api-tokens.ts'
import { faucet } from './probes/faucet.ts'
import { frameLimit } from './probes/feed-frames.ts'
import { authenticateDeadline, renewalByAnother, tickets } from './probes/feed-tickets.ts'
import { refreshRules, replacedRefresh } from './probes/refresh.ts'
import { raceOfFifty, refreshRaces } from './probes/refresh-race.ts'
import { sessionLife } from './probes/session-ends.ts'

export const options = { ...COMMON_OPTIONS, scenarios: lane('time') }

const PROBES = [
  ...[refreshRules, replacedRefresh, refreshRaces, raceOfFifty],
  ...[authenticateDeadline, tickets, renewalByAnother, frameLimit],
  ...[sessionLife, tokenLife, faucet],
]

/** Sequential if the clock can be moved, because it is shared; else concurrent, because all only wait. */
export async function time(): Promise<void> {
  if (hasControl(world('clock'))) await runProbes('time', PROBES)
  else await runProbesTogether('time', PROBES)
}

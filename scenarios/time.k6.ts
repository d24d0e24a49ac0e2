// What takes time: session lives, refresh and its races, tickets, deadlines, frames a minute.
import { COMMON_OPTIONS, lane } from './lib/lane.ts'
import { runProbes } from './lib/probe.ts'
import { frameLimit } from './probes/feed-frames.ts'
import { authenticateDeadline, tickets } from './probes/feed-tickets.ts'
import { refreshRules } from './probes/refresh.ts'
import { sessionLife } from './probes/session-life.ts'

export const options = { ...COMMON_OPTIONS, scenarios: lane('time') }

export function time(): Promise<void> {
  return runProbes('time', [refreshRules, authenticateDeadline, tickets, frameLimit, sessionLife])
}

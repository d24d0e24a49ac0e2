// The rate limit: 429, and recovery after the wait.
import { COMMON_OPTIONS, lane } from './lib/lane.ts'
import { runProbes } from './lib/probe/probe.ts'
import { rateLimit } from './probes/rate-limit.ts'

export const options = { ...COMMON_OPTIONS, scenarios: lane('rateLimits') }

export function rateLimits(): Promise<void> {
  return runProbes('rate-limit', [rateLimit])
}

import type { LatencyMs, ObjectiveResult } from '../../contract/report.ts'
import type { Objective } from '../../contract/slo.ts'
import type { Tally } from '../series/tally.ts'
import { samplesNeeded, supportedQuantile } from '../statistics/quantile-support.ts'

/** What was observed of an objective in some time, and what that says of it. */
export type Reading = Pick<ObjectiveResult, 'verdict' | 'reason' | 'samples'> & {
  /** Of a quantile; the same but for a feed delay. */
  leastMs: LatencyMs
  mostMs: LatencyMs
  /** Of a share. */
  rate: number | null
}

/** Judges what was counted in some time. Too few samples never pass, and never fail. */
export function judgeTally(objective: Objective, tally: Tally): Reading {
  return 'quantile' in objective ? judgeQuantile(objective, tally) : judgeShare(objective, tally)
}

function judgeQuantile(objective: Extract<Objective, { quantile: number }>, tally: Tally): Reading {
  const { quantile } = objective
  const samples = tally.most.count
  const leastMs = supportedQuantile(tally.least, quantile)
  const mostMs = supportedQuantile(tally.most, quantile)
  const reading = { leastMs, mostMs, rate: null, samples }
  if (leastMs === null || mostMs === null) {
    return { ...reading, ...doubt(`too few samples (${samples} of ${samplesNeeded(quantile)})`) }
  }
  const limitMs = limitOf(objective)
  if (msOf(leastMs) > limitMs) return { ...reading, verdict: 'fail', reason: null }
  if (msOf(mostMs) <= limitMs) return { ...reading, verdict: 'pass', reason: null }
  return { ...reading, ...doubt('the clocks of target and load generator are not known to agree so closely') }
}

function judgeShare(objective: Exclude<Objective, { quantile: number }>, { samples, bad }: Tally): Reading {
  const rate = samples === 0 ? null : bad / samples
  const reading = { leastMs: null, mostMs: null, rate, samples }
  if (rate === null) return { ...reading, ...doubt('no samples') }
  return { ...reading, verdict: rate <= limitOf(objective) ? 'pass' : 'fail', reason: null }
}

/** What may not be exceeded, whatever its name. */
export function limitOf(objective: Objective): number {
  if ('latencyMsMax' in objective) return objective.latencyMsMax
  if ('errorRateMax' in objective) return objective.errorRateMax
  if ('refusedRateMax' in objective) return objective.refusedRateMax
  if ('droppedRateMax' in objective) return objective.droppedRateMax
  if ('feedDelayMsMax' in objective) return objective.feedDelayMsMax
  return objective.synchronizeMsMax
}

/** A latency as a number of milliseconds, Infinity for `infinite`, to be compared. */
export function msOf(latencyMs: Exclude<LatencyMs, null>): number {
  return latencyMs === 'infinite' ? Number.POSITIVE_INFINITY : latencyMs
}

function doubt(reason: string): Pick<Reading, 'verdict' | 'reason'> {
  return { verdict: 'inconclusive', reason }
}

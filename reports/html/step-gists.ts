import type { TrialResult } from '../../contract/capacity.ts'
import type { LatencyMs } from '../../contract/report.ts'
import { figure, latencyText } from '../objective-text.ts'
import { offeredRate } from './step-charts.ts'

/** Below this share of the offered rate, throughput visibly leaves the dashed line. */
const KEPT_UP_SHARE = 0.95

/** One sentence per chart over load that names the main thing to notice. `trials` are those drawn, by rising rate. */
export function stepGists(trials: readonly TrialResult[]): Record<'throughput' | 'latency', string> {
  return { throughput: throughputGist(trials), latency: latencyGist(trials) }
}

function throughputGist(trials: readonly TrialResult[]): string {
  const behind = trials.findLast((trial) => trial.throughput < KEPT_UP_SHARE * offeredRate(trial))
  if (behind !== undefined)
    return `At ${figure(offeredRate(behind))} offered iterations/s, only ${figure(behind.throughput)} were completed.`
  const highest = trials.at(-1)
  return highest === undefined
    ? ''
    : `Throughput kept up with the offered rate, up to ${figure(offeredRate(highest))} iterations/s.`
}

const PERCENTILES = [
  { name: 'p95', key: 'p95Ms' },
  { name: 'p50', key: 'p50Ms' },
] as const

function latencyGist(trials: readonly TrialResult[]): string {
  for (const { name, key } of PERCENTILES) {
    const known = trials.filter((trial) => trial[key] !== null)
    const lowest = known[0]
    if (lowest === undefined) continue
    const slowest = known.reduce((slow, trial) => (order(trial[key]) > order(slow[key]) ? trial : slow))
    const at = (trial: TrialResult) => `${latencyText(trial[key])} at ${figure(offeredRate(trial))}/s`
    return slowest === lowest
      ? `${name} was highest at the lowest rate: ${at(lowest)}.`
      : `${name} rose from ${at(lowest)} to ${at(slowest)}.`
  }
  return 'Too few requests per trial for a percentile.'
}

function order(latencyMs: LatencyMs): number {
  return latencyMs === 'infinite' ? Number.POSITIVE_INFINITY : (latencyMs ?? 0)
}

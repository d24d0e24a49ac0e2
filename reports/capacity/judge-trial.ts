import type { TrialFacts, TrialResult } from '../../contract/capacity.ts'
import type { ObjectiveResult } from '../../contract/report.ts'
import { objectiveText, observedText } from '../objective-text.ts'
import type { Histogram } from '../statistics/histogram.ts'
import { supportedQuantile } from '../statistics/quantile-support.ts'
import { fellBehind } from './fell-behind.ts'

/** What the series say of the judged seconds of a trial. */
export type TrialCounts = {
  /** That ended, how long those took together (`iteration_duration`), and those that no VU was free for. */
  iterations: number
  iterationSeconds: number
  dropped: number
  requests: number
  /** Of the requests: no answer or 5xx; 429. */
  failed: number
  refused: number
  /** Of the requests, in milliseconds; dropped iterations not included. */
  latency: Histogram
  latencySumMs: number
  generatorLag: Histogram
}

type Judgement = Pick<TrialResult, 'outcome' | 'because'>

/**
 * What came of a trial. `objectives` are those of the SLO, judged over the same seconds; `generatorLimit` says how the load
 * generator was at its limit; null: it was not.
 */
export function judgeTrial(options: {
  facts: TrialFacts
  counts: TrialCounts
  objectives: readonly ObjectiveResult[]
  generatorLimit: string | null
}): TrialResult {
  const { facts, counts } = options
  const seconds = secondsJudged(facts)
  const per = (sum: number, of: number) => (of === 0 ? null : sum / of)
  const latency = (quantile: number) => supportedQuantile(counts.latency, quantile)
  const lag = supportedQuantile(counts.generatorLag, 0.99)
  return {
    trial: facts.trial,
    phase: facts.phase,
    rate: facts.rate,
    rateFrom: facts.rateFrom,
    ended: facts.ended,
    seconds,
    secondsPlanned: facts.seconds,
    ...judge(options, seconds),
    throughput: per(counts.iterations, seconds) ?? 0,
    requestsPerSecond: per(counts.requests, seconds) ?? 0,
    requests: counts.requests,
    dropped: counts.dropped,
    meanMs: per(counts.latencySumMs, counts.requests),
    p50Ms: latency(0.5),
    p95Ms: latency(0.95),
    p99Ms: latency(0.99),
    errorRate: per(counts.failed, counts.requests),
    concurrency: per(counts.latencySumMs / 1000, seconds),
    generatorLagMs: lag === 'infinite' ? null : lag,
  }
}

function secondsJudged({ judgedFrom, judgedTo }: TrialFacts): number {
  return judgedFrom === null || judgedTo === null ? 0 : Math.max(0, judgedTo - judgedFrom)
}

function judge(
  { facts, counts, objectives, generatorLimit }: Parameters<typeof judgeTrial>[0],
  seconds: number,
): Judgement {
  if (seconds === 0 || facts.ended === 'broken') {
    return { outcome: 'unjudged', because: facts.reason ?? 'no second of it was judged' }
  }
  const miss = missOf(objectives) ?? backlogOf(facts, counts, seconds)
  if (miss !== undefined) {
    return generatorLimit === null
      ? { outcome: 'missed', because: miss }
      : { outcome: 'generator', because: generatorLimit }
  }
  if (facts.ended === 'hopeless') return { outcome: 'missed', because: facts.reason ?? 'it was hopeless' }
  if (facts.ended !== 'whole') return { outcome: 'unjudged', because: facts.reason ?? 'it was broken off' }
  const doubt = objectives.find(({ verdict }) => verdict === 'inconclusive')
  return doubt === undefined
    ? { outcome: 'met', because: 'all objectives held' }
    : { outcome: 'unjudged', because: told(doubt) }
}

function missOf(objectives: readonly ObjectiveResult[]): string | undefined {
  const failed = objectives.find(({ verdict }) => verdict === 'fail')
  return failed === undefined ? undefined : told(failed)
}

function told(objective: ObjectiveResult): string {
  return `${objectiveText(objective)}: ${observedText(objective)}`
}

function backlogOf(facts: TrialFacts, counts: TrialCounts, judgedSeconds: number): string | undefined {
  const offered = offeredRate(facts) * judgedSeconds
  const completed = counts.iterations
  const meanSeconds = counts.iterations === 0 ? 0 : counts.iterationSeconds / counts.iterations
  if (!fellBehind({ offered, completed, meanSeconds, judgedSeconds })) return undefined
  const short = Math.round((1 - completed / offered) * 1000) / 10
  const dropped = counts.dropped === 0 ? '' : `; ${counts.dropped} found no VU free`
  return `${short} % fewer iterations ended than were due (${Math.round(completed)} of ${Math.round(offered)})${dropped}`
}

/** On average: a stage may ramp. */
function offeredRate({ rate, rateFrom }: TrialFacts): number {
  return rateFrom === null ? rate : (rateFrom + rate) / 2
}

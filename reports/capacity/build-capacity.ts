import { isLoopback } from '../../contract/addresses.ts'
import { type Capacity, isOfSockets, type TrialFacts } from '../../contract/capacity.ts'
import type { Run } from '../../contract/run.ts'
import { sloSchema } from '../../contract/slo.ts'
import { percent } from '../objective-text.ts'
import type { FoldedSeries } from '../series/fold-series.ts'
import { busiestTrial } from './capacity-texts.ts'
import { conclude } from './conclude.ts'
import { foldTrialResult } from './fold-trial-result.ts'
import { fitMemory } from './memory-per-socket.ts'
import { THRESHOLDS } from './saturation-signals.ts'
import { fitScalability } from './scalability.ts'

const NO_GOAL = { relativeWidth: 0.05, trialSeconds: 0, finalSeconds: 0, rateMax: null }

const NOT_FITTED = {
  scalability: null,
  scalabilityReason: 'a search over sockets has no throughput by concurrency',
} as const

/**
 * Judges the trials of a run by the objectives that the series were folded for, and draws the conclusion. `slices`
 * belong to the trials, in the same order. Null if the run has no trials.
 */
export function buildCapacity(options: {
  run: Run
  trials: readonly TrialFacts[]
  slices: readonly FoldedSeries[]
  /** The whole run, including warm-ups. */
  series: FoldedSeries
  seriesComplete: boolean
  seriesDamaged: boolean
}): Capacity | null {
  const { run, trials, slices, series, seriesComplete, seriesDamaged } = options
  if (run.search === null && trials.length === 0) return null
  const lastSeen = slices.findLastIndex(({ firstSecond }) => firstSecond !== undefined)
  const { baseUrl } = run.target
  const isTargetLocal = URL.canParse(baseUrl) && isLoopback(baseUrl)
  const results = trials.flatMap((facts, index) => {
    const slice = slices[index]
    if (slice === undefined) return []
    const isWhole = seriesComplete || index < lastSeen || (!seriesDamaged && reachesEnd(slice, facts))
    return [foldTrialResult({ facts, series: slice, seriesComplete: isWhole, isTargetLocal })]
  })
  return {
    ...conclude({
      mix: run.mix ?? 'unknown',
      axis: run.search?.axis,
      results,
      goal: run.search ?? NO_GOAL,
      budget: computeBudget(run, trials, series),
      interrupted: run.state === 'interrupted' || run.state === 'running',
      failed: run.state === 'failed',
    }),
    ...(isOfSockets(run.search?.axis)
      ? { axis: run.search?.axis, ...NOT_FITTED, ...fitMemory(results) }
      : fitScalability(results)),
  }
}

/**
 * If the series are incomplete, a trial still has all its samples if another one follows, or if the series continue
 * through its last second: k6 reports its own lag every second.
 */
function reachesEnd({ lastSecond }: FoldedSeries, { judgedTo }: TrialFacts): boolean {
  return lastSecond !== undefined && judgedTo !== null && lastSecond >= judgedTo - 1
}

/** A run that did not finish counts until its last judged second. */
function computeBudget(run: Run, trials: readonly TrialFacts[], series: FoldedSeries): Capacity['budget'] {
  const start = Date.parse(run.startedAt)
  const lastJudged = Math.max(start, ...trials.map(({ judgedTo }) => (judgedTo ?? 0) * 1000))
  const end = run.finishedAt === null ? lastJudged : Date.parse(run.finishedAt)
  const secondsUsed = Math.max(0, (end - start) / 1000)
  return {
    secondsMax: run.search?.secondsMax ?? secondsUsed,
    secondsUsed,
    requestsMax: run.search?.requestsMax ?? null,
    requestsUsed: [...series.routes.values()].reduce((sum, { latency }) => sum + latency.count, 0),
  }
}

export function noteCapacity({ search, slo }: Run, judgedBy: string | null): string[] {
  const own = sloSchema.safeParse(slo).data?.name
  if (search === null || judgedBy === null || own === undefined || own === judgedBy) return []
  return [
    `Judged by the objectives ${JSON.stringify(judgedBy)}. The search itself used ${JSON.stringify(own)}, so it may have tried no load near the limit of these.`,
  ]
}

/** A busy machine that explains no missed objective limits no trial, but its figures may be worse than those of the target. */
export function noteBusyMachine(capacity: Capacity | null): string[] {
  const busiest = busiestTrial(capacity?.trials ?? [])
  const busy = busiest?.generator.machineBusy ?? 0
  if (busiest === undefined || busiest.outcome === 'generator-limited' || busy < THRESHOLDS.machineBusy)
    return []
  return [
    `The machine of the load generator was ${percent(Math.min(1, busy))} busy in trial ${busiest.trial}: latencies may include delays of this machine.`,
  ]
}

import { isLoopback } from '../../contract/addresses.ts'
import type { Capacity, TrialFacts } from '../../contract/capacity.ts'
import type { Run } from '../../contract/run.ts'
import { sloSchema } from '../../contract/slo.ts'
import type { FoldedSeries } from '../series/fold-series.ts'
import { conclude } from './conclude.ts'
import { resultOfTrial } from './result-of-trial.ts'
import { fitScalability } from './scalability.ts'

/** Of a run whose file says nothing of a search: one load that was held. Then no load is to be found. */
const NO_GOAL = { relativeWidth: 0.05, trialSeconds: 0, finalSeconds: 0, rateMax: null }

/**
 * What a run's trials come to: judged, and concluded from, by the objectives that the series were folded for. `slices` are
 * theirs, in their order. Null: the run neither searched nor held a load.
 */
export function buildCapacity(options: {
  run: Run
  trials: readonly TrialFacts[]
  slices: readonly FoldedSeries[]
  /** All of it, warm-ups included. */
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
    return [resultOfTrial({ facts, series: slice, seriesComplete: isWhole, isTargetLocal })]
  })
  return {
    ...conclude({
      mix: run.mix ?? 'unknown',
      results,
      goal: run.search ?? NO_GOAL,
      budget: budgetOf(run, trials, series),
      interrupted: run.state === 'interrupted' || run.state === 'running',
      failed: run.state === 'failed',
    }),
    ...fitScalability(results),
  }
}

/**
 * Where the series break off, a trial that others follow has all its samples; and so has the last, if they go on through its
 * last second: of each second k6 tells how late it was itself, whatever the target did.
 */
function reachesEnd({ lastSecond }: FoldedSeries, { judgedTo }: TrialFacts): boolean {
  return lastSecond !== undefined && judgedTo !== null && lastSecond >= judgedTo - 1
}

/** Of a run without an end: up to what was judged last. */
function budgetOf(run: Run, trials: readonly TrialFacts[], series: FoldedSeries): Capacity['budget'] {
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

/** By which objectives the loads were chosen that were tried, where the run is now judged by others. */
export function noteCapacity({ search, slo }: Run, judgedBy: string | null): string[] {
  const own = sloSchema.safeParse(slo).data?.name
  if (search === null || judgedBy === null || own === undefined || own === judgedBy) return []
  return [
    `Judged by the objectives ${JSON.stringify(judgedBy)}. The search itself was steered by ${JSON.stringify(own)}, so no load near what these allow may have been tried.`,
  ]
}

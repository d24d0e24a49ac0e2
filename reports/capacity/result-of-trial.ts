import type { TrialFacts, TrialResult } from '../../contract/capacity.ts'
import type { FoldedSeries } from '../series/fold-series.ts'
import { judgeSlo } from '../slo/judge-slo.ts'
import { createHistogram, type Histogram, mergeInto } from '../statistics/histogram.ts'
import { judgeTrial, type TrialCounts } from './judge-trial.ts'

/**
 * What came of a trial, by what its slice of the series holds (judged-slice.ts), folded for the objectives of capacity. The
 * same while the search goes on and in its report.
 */
export function resultOfTrial(options: {
  facts: TrialFacts
  series: FoldedSeries
  /** False where samples of the trial may be missing. */
  seriesComplete: boolean
  /** Whether the target runs on the machine that makes the load. */
  isTargetLocal: boolean
}): TrialResult {
  const { facts, series, seriesComplete, isTargetLocal } = options
  const objectives = judgeSlo({ series, seriesComplete })?.objectives ?? []
  const result = judgeTrial({ facts, counts: countsOf(series), objectives, isTargetLocal })
  // Of what is missing here, nobody knows whether it ended: no backlog, and no fault of the load generator.
  const isCut = !seriesComplete && facts.ended === 'whole'
  return isCut && !objectives.some(({ verdict }) => verdict === 'fail')
    ? { ...result, outcome: 'unjudged', because: 'samples of it may be missing: the series break off' }
    : result
}

function countsOf(series: FoldedSeries): TrialCounts {
  const routes = [...series.routes.values()]
  const sum = (of: (route: (typeof routes)[number]) => number) =>
    routes.reduce((total, route) => total + of(route), 0)
  return {
    iterations: series.iterations,
    iterationSeconds: series.iterationMs / 1000,
    dropped: series.droppedIterations,
    requests: sum(({ latency }) => latency.count),
    failed: sum(({ failed }) => failed),
    refused: sum(({ refused }) => refused),
    turnedAway: sum(({ turnedAway }) => turnedAway),
    latency: latencyOf(routes.map(({ latency }) => latency)),
    latencySumMs: series.requestMs,
    generatorLag: series.generatorLag,
  }
}

function latencyOf(histograms: readonly Histogram[]): Histogram {
  const all = createHistogram()
  for (const histogram of histograms) mergeInto(all, histogram)
  return all
}

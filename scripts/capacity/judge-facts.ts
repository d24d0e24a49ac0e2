import type { TrialFacts, TrialResult } from '../../contract/capacity.ts'
import type { Slo } from '../../contract/slo.ts'
import { judgeTrial } from '../../reports/capacity/judge-trial.ts'
import { groupRoutes } from '../../reports/series/group-routes.ts'
import { judgeSlo } from '../../reports/slo/judge-slo.ts'
import { createHistogram } from '../../reports/statistics/histogram.ts'
import { foldTrial } from './fold-trial.ts'

/** What came of a trial, by the files that k6 wrote in it. */
export async function judgeFacts(
  facts: TrialFacts,
  { files, slo, isTargetLocal }: { files: readonly string[]; slo: Slo; isTargetLocal: boolean },
): Promise<TrialResult> {
  const { trial, phase, judgedFrom, judgedTo } = facts
  const slice = {
    trial: phase === 'stage' ? null : trial,
    from: judgedFrom ?? 0,
    to: judgedFrom === null ? 0 : (judgedTo ?? judgedFrom),
  }
  const { series, complete } = await foldTrial(files, { slo, slice })
  const [all] = groupRoutes(series)
  return judgeTrial({
    facts,
    isTargetLocal,
    objectives: judgeSlo({ series, seriesComplete: complete })?.objectives ?? [],
    counts: {
      iterations: series.iterations,
      iterationSeconds: series.requestMs / 1000,
      dropped: series.droppedIterations,
      requests: all === undefined ? 0 : all.latency.count - all.latency.infinite,
      failed: all?.failed ?? 0,
      refused: all?.refused ?? 0,
      latency: all?.latency ?? createHistogram(),
      latencySumMs: series.requestMs,
      generatorLag: series.generatorLag,
    },
  })
}

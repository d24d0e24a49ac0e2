import type { TrialFacts, TrialResult } from '../../contract/capacity.ts'
import type { Slo } from '../../contract/slo.ts'
import { resultOfTrial } from '../../reports/capacity/result-of-trial.ts'
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
  return resultOfTrial({ facts, series, seriesComplete: complete, isTargetLocal })
}

import type { TrialFacts, TrialResult } from '../../contract/capacity.ts'
import type { Slo } from '../../contract/slo.ts'
import { judgedSlice } from '../../reports/capacity/judged-slice.ts'
import { resultOfTrial } from '../../reports/capacity/result-of-trial.ts'
import { foldTrial } from './fold-trial.ts'

/** What came of a trial, by the files that k6 wrote in it. */
export async function judgeFacts(
  facts: TrialFacts,
  { files, slo, isTargetLocal }: { files: readonly string[]; slo: Slo; isTargetLocal: boolean },
): Promise<TrialResult> {
  const { series, complete } = await foldTrial(files, { slo, slice: judgedSlice(facts) })
  return resultOfTrial({ facts, series, seriesComplete: complete, isTargetLocal })
}

import type { TrialFacts, TrialResult } from '../../contract/capacity.ts'
import type { Slo } from '../../contract/slo.ts'
import { judgedSlice } from '../../reports/capacity/judged-slice.ts'
import { resultOfTrial } from '../../reports/capacity/result-of-trial.ts'
import { foldTrial } from './fold-trial.ts'

/** What came of the trials of a load, by the files that k6 wrote in it. */
export async function judgeFacts(
  facts: readonly TrialFacts[],
  { files, slo, isTargetLocal }: { files: readonly string[]; slo: Slo; isTargetLocal: boolean },
): Promise<TrialResult[]> {
  const { series, complete } = await foldTrial(files, { slo, slices: facts.map(judgedSlice) })
  return series.flatMap((slice, index) => {
    const of = facts[index]
    return of === undefined
      ? []
      : [resultOfTrial({ facts: of, series: slice, seriesComplete: complete, isTargetLocal })]
  })
}

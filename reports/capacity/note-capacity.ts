import type { TrialResult } from '../../contract/capacity.ts'
import type { Run } from '../../contract/run.ts'
import { sloSchema } from '../../contract/slo.ts'
import { figure } from '../objective-text.ts'

/** Of which trial the latencies are, and by which objectives the loads were chosen that were tried. */
export function noteCapacity(options: {
  run: Run
  /** By which the run is judged now. */
  sloName: string | null
  focus: TrialResult | undefined
}): string[] {
  const { run, sloName, focus } = options
  const own = sloSchema.safeParse(run.slo).data?.name
  return [
    run.search !== null &&
      sloName !== null &&
      own !== undefined &&
      own !== sloName &&
      `Judged by the objectives ${JSON.stringify(sloName)}; the search itself was steered by ${JSON.stringify(own)}, so no load near what these allow may have been tried.`,
    run.search !== null &&
      focus !== undefined &&
      `Latency and objectives are those of trial ${focus.trial}, ${focus.phase === 'confirmation' ? 'the confirmation ' : ''}at ${figure(focus.rate)} iterations a second.`,
  ].filter((note) => typeof note === 'string')
}

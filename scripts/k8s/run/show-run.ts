import type { TrialResult } from '../../../contract/capacity.ts'
import { showTrials } from '../../capacity/progress.ts'
import type { Io } from '../../io.ts'
import type { Diagnosis } from '../diagnose/diagnose.ts'
import type { RunRecord } from '../run-record.ts'

/** Shows what a run in a cluster waits for, then the load that it makes, and at last what came of it. */
export function showRun(
  io: Io,
  { record, seriesFiles }: { record: RunRecord; seriesFiles: readonly string[] },
): {
  diagnosis(diagnosis: Diagnosis): void
  result(result: TrialResult): void
  stop(): Promise<void>
} {
  const { load, parallelism } = record
  const progress = showTrials(io, null)
  let shown = ''
  const show = (what: string, doing: Parameters<typeof progress.doing>[0]) => {
    // What is shown already goes on: its time is counted from its beginning.
    if (what !== shown) progress.doing(doing)
    shown = what
  }
  return {
    diagnosis({ verdict }) {
      if (verdict.kind === 'waiting') {
        const what = `waiting for ${verdict.why}`
        show(what, { what })
      } else if (verdict.kind === 'running') {
        const seconds = load.warmUpSeconds + load.seconds
        const what = `${load.rate}/s by ${parallelism} ${parallelism === 1 ? 'runner' : 'runners'}`
        show(what, { what, load: { seconds, seriesFiles } })
      } else show('ended', { what: 'gathering what was measured' })
    },
    result: (result) => progress.trial(result, 'held'),
    stop: progress.stop,
  }
}

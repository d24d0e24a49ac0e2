import type { TrialFacts } from '../../../contract/capacity.ts'
import { loadStartOf } from '../../capacity/fold-trial.ts'
import { cutWindow, judgedWindow } from '../../capacity/judged-window.ts'
import type { TargetWatch } from '../../capacity/scrape-target.ts'
import type { RunRecord } from '../run-record.ts'
import { runnersHealth } from '../runner-health.ts'
import { seriesEndOf } from './series-end-of.ts'

/** How the runners of a load ended. */
export type ClusterEnd = Pick<TrialFacts, 'ended' | 'reason'>

/** The facts of the one trial that a run in a cluster is, by what its runners wrote. */
export async function clusterFacts(options: {
  record: RunRecord
  /** What each runner measured. */
  seriesFiles: readonly string[]
  end: ClusterEnd
  target: TargetWatch | null
}): Promise<TrialFacts> {
  const { record, seriesFiles, end, target } = options
  const { rate, warmUpSeconds, seconds } = record.load
  const startMs = await loadStartOf(seriesFiles)
  const planned = startMs === null ? null : judgedWindow({ startMs, warmUpSeconds, seconds })
  const endMs = await seriesEndOf(seriesFiles)
  // From when on one of them was missing, it was not the load that was asked for.
  const window = planned === null || endMs === null ? null : cutWindow(planned, endMs)
  const [first, ...others] = seriesFiles
  if (first === undefined) throw new RangeError('no runner')
  const generator = await runnersHealth([first, ...others], { ...(window ?? NO_WINDOW), cores: record.cpu })
  return {
    trial: 1,
    phase: 'stage',
    rate,
    rateFrom: null,
    warmUpSeconds,
    seconds,
    judgedFrom: window?.from ?? null,
    judgedTo: window?.to ?? null,
    ended: end.ended,
    reason: end.reason,
    instances: record.parallelism,
    vusMax: record.vusMax,
    generator,
    target: target?.health({ fromMs: (window?.from ?? 0) * 1000, toMs: (window?.to ?? 0) * 1000 }) ?? null,
  }
}

/** Nothing was judged. */
const NO_WINDOW = { from: 0, to: 0 }

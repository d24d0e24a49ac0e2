import type { TrialResult } from '../../../contract/capacity.ts'
import { isLoopback } from '../../../contract/is-loopback.ts'
import { RUN_FILES } from '../../../contract/run.ts'
import { judgeFacts } from '../../capacity/judge-facts.ts'
import type { TargetWatch } from '../../capacity/scrape-target.ts'
import { openTrialFiles } from '../../capacity/trial-files.ts'
import type { K6Run } from '../../k6/run-k6.ts'
import { timed } from '../../progress/detail.ts'
import type { RunRecord } from '../run-record.ts'
import { clusterFacts } from './cluster-facts.ts'
import type { EndOfRun } from './end-of-run.ts'
import { k6VersionIn } from './k6-version-in.ts'
import type { ClusterFolder } from './with-cluster-folder.ts'

/**
 * Merges what was gathered into the series of the run folder, judges it, and completes the folder; answers what came of it, and what
 * is wrong with what was gathered, in sentences. Throws a BreakwaterError (environment) where the disk takes no more; what was
 * gathered then stays.
 */
export async function judgeRun(options: {
  record: RunRecord
  folder: ClusterFolder
  seriesFiles: readonly string[]
  end: EndOfRun
  /** Unix ms. */
  startMs: number
  target: TargetWatch | null
  /** Why not all was gathered; null: it was. */
  gatherProblem: string | null
}): Promise<{ result: TrialResult; notes: readonly string[] }> {
  const { record, folder, seriesFiles, end, startMs, target, gatherProblem } = options
  const facts = await clusterFacts({ record, seriesFiles, end, target })
  const k6Version = await k6VersionIn(seriesFiles)
  const run: K6Run = { ...end.k6, signal: null, startedAtMs: startMs, finishedAtMs: Date.now() }
  const files = await openTrialFiles(folder, { k6: k6Version ?? UNKNOWN, startMs })
  const merged = await timed('merging', () =>
    files.finish([facts], { ...run, runs: [run], seriesFiles: [...seriesFiles], stderrFiles: [] }),
  )
  // Without an end, readers say that it covers a part.
  await (merged.complete ? files.end(Date.now()) : files.close())
  // One file is read in place of one for each runner.
  const [result] = await timed('judging', () =>
    judgeFacts([facts], {
      files: [folder.file(RUN_FILES.series)],
      slo: record.slo,
      isTargetLocal: isLoopback(record.target.baseUrl),
    }),
  )
  if (result === undefined) throw new RangeError('a trial without a result')
  const notes = [
    ...merged.notes,
    ...(gatherProblem === null ? [] : [`Not all was gathered: ${gatherProblem}.`]),
  ]
  await folder.finish(run, { k6Version, notes })
  return { result, notes }
}

/** No runner began. */
const UNKNOWN = 'unknown'

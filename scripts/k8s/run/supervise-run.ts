import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { RUN_FILES } from '../../../contract/run.ts'
import type { TargetWatch } from '../../capacity/scrape-target.ts'
import type { Io } from '../../io.ts'
import { seriesFilesOf } from '../../k6/instances.ts'
import { timed } from '../../progress/detail.ts'
import type { Cluster } from '../api/open-cluster.ts'
import { gatherFiles } from '../gather/gather-files.ts'
import type { AskCollector } from '../gather/question-collector.ts'
import { resultsName } from '../manifests/metadata.ts'
import { seriesNameOf } from '../manifests/runner-arguments.ts'
import type { RunRecord } from '../run-record.ts'
import { endOfRun } from './end-of-run.ts'
import { failureError } from './failure-error.ts'
import { followRun } from './follow-run.ts'
import { judgeRun } from './judge-run.ts'
import { keepLogs } from './keep-logs.ts'
import { showRun } from './show-run.ts'
import type { ClusterFolder } from './with-cluster-folder.ts'

export type SuperviseOptions = {
  cluster: Cluster
  name: string
  record: RunRecord
  folder: ClusterFolder
  io: Io
  /** For all runners to have begun. */
  startSeconds: number
  request: AskCollector
  /** What the target tells of itself; null: nobody asks it. */
  target: TargetWatch | null
  /** Whether an interruption ends the load, or only that it is watched. */
  endsLoad: boolean
}

/** Where the one trial is kept until it has ended: as `load` has it, so that a run that was killed can be read. */
const TRIAL_FOLDER = join('trials', '1')

/**
 * Follows a run to its end, gathers what its runners measure as they do, judges it, and completes the run folder. Throws a
 * BreakwaterError (environment): where nothing was measured, why; where the cluster is lost, or this machine's disk takes no more.
 * What was gathered then stays.
 */
export async function superviseRun(options: SuperviseOptions): Promise<void> {
  const { cluster, name, record, folder, io, request } = options
  const startMs = Date.now()
  const trialFolder = join(folder.dir, TRIAL_FOLDER)
  await mkdir(trialFolder, { recursive: true })
  const seriesFiles = seriesFilesOf(trialFolder, record.parallelism)
  const files = seriesFiles.map((file, index) => ({ name: seriesNameOf(name, index + 1), file }))
  const gathering = gatherFiles({ request, files })
  const shown = showRun(io, { record, seriesFiles })
  try {
    const followed = await followRun(cluster, {
      ...options,
      parallelism: record.parallelism,
      resultsPod: record.results.kind === 'here' ? null : resultsName(name),
      loadSeconds: record.load.warmUpSeconds + record.load.seconds,
      signal: io.interrupted,
      onDiagnosis: shown.diagnosis,
    })
    const logs = await timed('logs', () =>
      keepLogs(cluster, { name, runners: followed.runners, file: folder.file(RUN_FILES.k6Stderr) }),
    )
    await timed('last look at what was measured', () => gathering.finish())
    const end = endOfRun(followed, logs)
    const { result, notes } = await judgeRun({
      ...options,
      seriesFiles,
      end,
      startMs,
      gatherProblem: gathering.problem(),
    })
    if (end.failure !== null && result.requests === 0) throw failureError(end.failure)
    await shown.stop()
    if (end.failure !== null) io.stderr(`${end.failure.sentence}\n  ${end.failure.hint}\n`)
    shown.result(result)
    for (const note of notes) io.tell(note)
  } finally {
    await gathering.stop()
    await shown.stop()
  }
}

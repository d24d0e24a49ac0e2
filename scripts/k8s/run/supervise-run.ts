import { appendFile, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { isLoopback } from '../../../contract/addresses.ts'
import type { TrialResult } from '../../../contract/capacity.ts'
import { RUN_FILES } from '../../../contract/run.ts'
import { readLines } from '../../../reports/run-file.ts'
import { readHeader } from '../../../reports/series/point.ts'
import type { Io } from '../../io.ts'
import { seriesFilesOf } from '../../k6/instances.ts'
import type { K6Run } from '../../k6/run-k6.ts'
import { judgeFacts } from '../../load/judge-trial.ts'
import type { TargetWatch } from '../../load/scrape-target.ts'
import { showTrials } from '../../load/tell-trials.ts'
import { openTrialFiles } from '../../load/trial-files.ts'
import { timed } from '../../progress/detail.ts'
import type { RunFolder } from '../../runs/run-folder.ts'
import type { Cluster } from '../api/open-cluster.ts'
import type { AskCollector } from '../collect/ask-collector.ts'
import { gatherFiles } from '../collect/gather-files.ts'
import type { Diagnosis, RunnerState } from '../diagnose/diagnose.ts'
import { seriesNameOf } from '../manifests/k6-test-run.ts'
import { resultsName } from '../manifests/manifest-parts.ts'
import type { RunRecord } from '../run-record.ts'
import { clusterFacts } from './cluster-facts.ts'
import { type EndOfRun, endOfRun, failureError, followRun } from './follow-run.ts'

/**
 * Merges what was gathered into the series of the run folder, judges it, and completes the folder; answers what came of it, and what
 * is wrong with what was gathered, in sentences. Throws a BreakwaterError (environment) where the disk takes no more; what was
 * gathered then stays.
 */
async function judgeRun(options: {
  record: RunRecord
  folder: RunFolder
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
  const files = await openTrialFiles(folder, { k6: k6Version, startMs })
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
  await folder.finish(run, { versions: { ...record.versions, k6: k6Version }, notes })
  return { result, notes }
}

/** The version of the k6 that wrote the first of the files that has a header; `unknown` if no runner began. */
async function k6VersionIn(files: readonly string[]): Promise<string> {
  for (const file of files) {
    let version: string | undefined
    await readLines(file, (line) => {
      const read = readHeader(line, file)
      if (read.kind === 'header') version = read.k6
      return 'stop'
    })
    if (version !== undefined) return version
  }
  return 'unknown'
}

/** Of each pod: what k6 says last tells why it ended. */
const LOG_MAX = { tailLines: 1000, limitBytes: 256 * 1024 }
/** How many are asked for at once. */
const AT_ONCE = 8

/**
 * Keeps what the runners said in one file, each after a line with its name; those that said nothing are left out. Answers it by
 * the number of the runner.
 */
async function keepLogs(
  cluster: Cluster,
  { name, runners, file }: { name: string; runners: readonly RunnerState[]; file: string },
): Promise<ReadonlyMap<number, string>> {
  const logs = new Map<number, string>()
  const left = [...runners]
  const work = async () => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) {
      const said = next.pod === null ? '' : await logOf(cluster, next.pod)
      if (said !== '') logs.set(next.runner, said)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  for (const { runner } of runners) {
    const said = logs.get(runner)
    if (said !== undefined) await appendFile(file, `${name}-${runner}:\n${said}\n`)
  }
  return logs
}

/** Its pod may be gone, or its node. */
async function logOf(cluster: Cluster, pod: string): Promise<string> {
  const log = await cluster.logs(pod, LOG_MAX).catch(() => null)
  return log === null ? '' : (await text(log.body).catch(() => '')).trim()
}

export type SuperviseOptions = {
  cluster: Cluster
  name: string
  record: RunRecord
  folder: RunFolder
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

/** Shows what a run in a cluster waits for, then the load that it makes, and at last what came of it. */
function showRun(
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

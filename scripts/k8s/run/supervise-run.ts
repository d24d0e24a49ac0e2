import { appendFile, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { isLoopback } from '../../../contract/addresses.ts'
import type { TrialResult } from '../../../contract/capacity.ts'
import { RUN_FILES } from '../../../contract/run.ts'
import { readLines } from '../../../reports/run-lines.ts'
import { readHeader } from '../../../reports/series/point.ts'
import type { Io } from '../../io.ts'
import { listSeriesFiles } from '../../k6/instances.ts'
import type { K6Run } from '../../k6/run-k6.ts'
import { judgeFacts } from '../../load/judge-trial.ts'
import type { TargetWatch } from '../../load/scrape-target.ts'
import { showTrials } from '../../load/show-trials.ts'
import { openTrialFiles } from '../../load/trial-files.ts'
import { logDuration } from '../../progress/detail.ts'
import type { RunFolder } from '../../runs/run-folder.ts'
import type { Cluster } from '../api/open-cluster.ts'
import { gatherFiles } from '../collect/gather-files.ts'
import type { RequestCollector } from '../collect/request-collector.ts'
import type { Diagnosis, RunnerState } from '../diagnose/diagnose.ts'
import { formatSeriesName } from '../manifests/k6-test-run.ts'
import { resultsName } from '../manifests/manifest-parts.ts'
import type { RunRecord } from '../run-record.ts'
import { readClusterFacts } from './cluster-facts.ts'
import { concludeRun, type EndOfRun, type FollowOptions, failureError, followRun } from './follow-run.ts'

/**
 * Merges the collected files into the run folder's series, judges them and completes the folder. Returns the result and
 * problems of the collection, as sentences. Throws a BreakwaterError (environment) if the disk rejects a write;
 * collected files then stay.
 */
async function judgeRun(options: {
  record: RunRecord
  folder: RunFolder
  seriesFiles: readonly string[]
  end: EndOfRun
  startMs: number
  target: TargetWatch | null
  gatherProblem: string | null
}): Promise<{ result: TrialResult; notes: readonly string[] }> {
  const { record, folder, seriesFiles, end, startMs, target, gatherProblem } = options
  const facts = await readClusterFacts({ record, seriesFiles, end, target })
  const k6Version = await k6VersionIn(seriesFiles)
  const run: K6Run = { ...end.k6, signal: null, startedAtMs: startMs, finishedAtMs: Date.now() }
  const files = await openTrialFiles(folder, { k6: k6Version, startMs })
  const merged = await logDuration('merging', () =>
    files.finish([facts], {
      ...run,
      runs: [run],
      seriesFiles: [...seriesFiles],
      historyFiles: [],
      stderrFiles: [],
    }),
  )
  await files.end(Date.now())
  // Reads the merged file instead of one per runner.
  const [result] = await logDuration('judging', () =>
    judgeFacts([facts], {
      files: [folder.file(RUN_FILES.series)],
      slo: record.slo,
      isTargetLocal: isLoopback(record.target.baseUrl),
    }),
  )
  if (result === undefined) throw new RangeError('a trial without a result')
  const notes = [...merged.notes, ...(gatherProblem === null ? [] : [notCollected(gatherProblem)])]
  await folder.finish(run, { versions: { ...record.versions, k6: k6Version }, notes })
  return { result, notes }
}

export function notCollected(problem: string): string {
  return `Some measurements were not collected: ${problem}.`
}

/** The version in the first file header; `unknown` if no runner started. */
export async function k6VersionIn(files: readonly string[]): Promise<string> {
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

export type SuperviseOptions = {
  cluster: Cluster
  name: string
  record: RunRecord
  folder: RunFolder
  io: Io
  startSeconds: number
  request: RequestCollector
  target: TargetWatch | null
  /** An interruption stops the load, not only the watching. */
  endsLoad: boolean
}

/** Temporary folder of the trial, as in `load`, so that a killed run can be read. */
const TRIAL_FOLDER = join('trials', '1')

/**
 * Follows a run, collects its measurements, judges them and completes the run folder. Throws a BreakwaterError
 * (environment) with the cause if nothing was measured, the cluster is lost or the disk rejects a write. Collected
 * files then stay.
 */
export async function superviseRun(options: SuperviseOptions): Promise<void> {
  const { name, record, folder, io } = options
  const startMs = Date.now()
  const trialFolder = join(folder.dir, TRIAL_FOLDER)
  await mkdir(trialFolder, { recursive: true })
  const shown = showRun(io, { record, seriesFiles: listSeriesFiles(trialFolder, record.parallelism) })
  try {
    const { seriesFiles, end, problem } = await collectRun({
      ...options,
      parallelism: record.parallelism,
      resultsPod: record.results.kind === 'here' ? null : resultsName(name),
      loadSeconds: record.load.warmUpSeconds + record.load.seconds,
      signal: io.interrupted,
      onDiagnosis: shown.diagnosis,
      folder: trialFolder,
      logFile: folder.file(RUN_FILES.k6Stderr),
    })
    const { result, notes } = await judgeRun({
      ...options,
      seriesFiles,
      end,
      startMs,
      gatherProblem: problem,
    })
    if (end.failure !== null && result.requests === 0) throw failureError(end.failure)
    await shown.stop()
    if (end.failure !== null) io.stderr(`${end.failure.sentence}\n  ${end.failure.hint}\n`)
    shown.result(result)
    for (const note of notes) io.log(note)
  } finally {
    await shown.stop()
  }
}

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
    // Restarting it would reset its timer.
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
      } else show('ended', { what: 'collecting the measurements' })
    },
    result: (result) => progress.trial(result, 'constant rate'),
    stop: progress.stop,
  }
}

type CollectOptions = Omit<FollowOptions, 'clock'> & {
  cluster: Cluster
  request: RequestCollector
  /** Existing; receives the series that `listSeriesFiles` names. */
  folder: string
  /** Receives the logs of the runners, if there are any. */
  logFile: string
}

export type CollectedRun = {
  seriesFiles: string[]
  end: EndOfRun
  /** Why some measurements are missing; null: all are here. */
  problem: string | null
}

/** Follows the runners of a TestRun to their end, and collects their measurements and logs. Throws like `followRun`. */
export async function collectRun(options: CollectOptions): Promise<CollectedRun> {
  const { cluster, name, parallelism, request, folder, logFile } = options
  const seriesFiles = listSeriesFiles(folder, parallelism)
  const gathering = gatherFiles({
    request,
    files: seriesFiles.map((file, index) => ({ name: formatSeriesName(name, index + 1), file })),
  })
  try {
    const followed = await followRun(cluster, options)
    const { runners } = followed
    const logs = await logDuration('logs', () => keepLogs(cluster, { name, runners, file: logFile }))
    await logDuration('final collection', () => gathering.finish())
    return { seriesFiles, end: concludeRun(followed, logs), problem: gathering.problem() }
  } finally {
    await gathering.stop()
  }
}

/** Per pod: k6's last lines explain its end. */
const LOG_MAX = { tailLines: 1000, limitBytes: 256 * 1024 }
const AT_ONCE = 8

/** Saves the non-empty logs in one file, each under a line with the runner's name. Returns them by runner number. */
async function keepLogs(
  cluster: Cluster,
  { name, runners, file }: { name: string; runners: readonly RunnerState[]; file: string },
): Promise<ReadonlyMap<number, string>> {
  const logs = new Map<number, string>()
  const left = [...runners]
  const work = async () => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) {
      const said = next.pod === null ? '' : await readLog(cluster, next.pod)
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

async function readLog(cluster: Cluster, pod: string): Promise<string> {
  const log = await cluster.logs(pod, LOG_MAX).catch(() => null)
  return log === null ? '' : (await text(log.body).catch(() => '')).trim()
}

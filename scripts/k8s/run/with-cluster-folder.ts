import { BreakwaterError, EXIT } from '../../../contract/breakwater-error.ts'
import { RUN_FILES, type Run } from '../../../contract/run.ts'
import { writeWhole } from '../../../reports/run-file.ts'
import type { K6Run } from '../../k6/run-k6.ts'
import { detail } from '../../progress/detail.ts'
import { makeRunDir, type RunFolder } from '../../runs/run-folder.ts'
import type { RunRecord } from '../run-record.ts'

export type ClusterFolder = Omit<RunFolder, 'finish'> & {
  /** Completes run.json: how it ended, the k6 that made it, and what its report has to say besides. */
  finish(
    k6: Pick<K6Run, 'exitCode' | 'reason' | 'meaning' | 'finishedAtMs'>,
    known: { k6Version: string | null; notes: readonly string[] },
  ): Promise<void>
}

const UNKNOWN_K6 = 'unknown'

type FolderOptions = { out: string | null; cwd: string; now: Date; startedAt: string }

/**
 * Makes the folder of a run in a cluster, as `openRunFolder` makes that of one on this machine, and hands it on. Where the work throws
 * before the run is finished, run.json says that it failed. Throws as `openRunFolder` and the work do.
 */
export async function withClusterFolder<Result>(
  record: RunRecord,
  options: FolderOptions,
  use: (folder: ClusterFolder) => Promise<Result>,
): Promise<Result> {
  const folder = await openClusterFolder(record, options)
  let isFinished = false
  const finish: ClusterFolder['finish'] = async (...how) => {
    await folder.finish(...how)
    isFinished = true
  }
  try {
    return await use({ ...folder, finish })
  } catch (error) {
    if (!isFinished) await folder.finish(brokenOff(error), NOTHING_KNOWN).catch(() => {})
    throw error
  }
}

const NOTHING_KNOWN = { k6Version: null, notes: [] }

function brokenOff(error: unknown): Parameters<ClusterFolder['finish']>[0] {
  const isInterrupted = error instanceof BreakwaterError && error.exitCode === EXIT.interrupted
  return {
    exitCode: null,
    reason: isInterrupted ? 'interrupted' : 'finished',
    meaning: error instanceof Error ? error.message : String(error),
    finishedAtMs: Date.now(),
  }
}

async function openClusterFolder(record: RunRecord, options: FolderOptions): Promise<ClusterFolder> {
  const { id, release, ...folder } = await makeRunDir({ job: JOB, ...options })
  const run: Run = {
    version: 1,
    id,
    job: JOB,
    state: 'running',
    startedAt: options.startedAt,
    finishedAt: null,
    target: { ...record.target, control: false },
    world: null,
    seed: record.seed,
    choices: null,
    mutant: null,
    strict: record.strict,
    minJudged: null,
    sloSkipped: null,
    versions: { ...record.versions, k6: UNKNOWN_K6 },
    command: record.command,
    rules: [],
    ownRules: {},
    waivers: [],
    repro: null,
    mix: record.mix,
    load: record.load,
    machine: runnersText(record),
    instances: record.parallelism,
    mergedFrom: [],
    notes: [],
    search: null,
    slo: record.slo,
    k6: null,
  }
  const write = (content: Run) =>
    writeWhole(folder.file(RUN_FILES.run), `${JSON.stringify(content, null, 2)}\n`)
  await write(run).finally(release)
  detail(`run folder: ${folder.dir}`)
  return {
    ...folder,
    finish: ({ exitCode, reason, meaning, finishedAtMs }, { k6Version, notes }) =>
      write({
        ...run,
        state: reason === 'interrupted' ? 'interrupted' : exitCode === 0 ? 'finished' : 'failed',
        finishedAt: new Date(finishedAtMs).toISOString(),
        versions: { ...run.versions, k6: k6Version ?? UNKNOWN_K6 },
        notes: [...notes],
        k6: { exitCode, reason, meaning },
      }),
  }
}

const JOB = 'load'

/** Names runners whose figures may be compared, as `machineClass` names machines: `4 pods of 2 cores, 1 GiB`. */
export function runnersText({
  parallelism,
  cpu,
  memoryBytes,
}: Pick<RunRecord, 'parallelism' | 'cpu' | 'memoryBytes'>): string {
  const cores = `${cpu} ${cpu === 1 ? 'core' : 'cores'}`
  return `${parallelism} ${parallelism === 1 ? 'pod' : 'pods'} of ${cores}, ${memoryText(memoryBytes)}`
}

function memoryText(bytes: number): string {
  const mebibytes = bytes / 2 ** 20
  return mebibytes % 1024 === 0 ? `${mebibytes / 1024} GiB` : `${Math.round(mebibytes)} MiB`
}

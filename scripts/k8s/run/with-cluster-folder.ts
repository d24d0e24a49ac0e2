import { BreakwaterError, EXIT } from '../../../contract/breakwater-error.ts'
import { createRunFolder, type RunFolder } from '../../runs/run-folder.ts'
import type { RunRecord } from '../run-record.ts'

type FolderOptions = { out: string | null; cwd: string; now: Date; startedAt: Date }

/**
 * Makes the folder of a run in a cluster and passes it on. If the work throws before the run is finished, run.json says that it
 * failed. Throws as `openRunFolder` and the work do.
 */
export async function withClusterFolder<Result>(
  record: RunRecord,
  options: FolderOptions,
  use: (folder: RunFolder) => Promise<Result>,
): Promise<Result> {
  const folder = await openClusterFolder(record, options)
  let isFinished = false
  const finish: RunFolder['finish'] = async (...how) => {
    await folder.finish(...how)
    isFinished = true
  }
  try {
    return await use({ ...folder, finish })
  } catch (error) {
    if (!isFinished) await folder.finish(brokenOff(error)).catch(() => {})
    throw error
  }
}

function brokenOff(error: unknown): Parameters<RunFolder['finish']>[0] {
  const isInterrupted = error instanceof BreakwaterError && error.exitCode === EXIT.interrupted
  return {
    exitCode: null,
    reason: isInterrupted ? 'interrupted' : 'finished',
    meaning: error instanceof Error ? error.message : String(error),
    finishedAtMs: Date.now(),
  }
}

function openClusterFolder(record: RunRecord, options: FolderOptions): Promise<RunFolder> {
  const { seed, strict, command, mix, load, slo, versions } = record
  return createRunFolder(
    { job: 'load', ...options },
    {
      target: { ...record.target, control: false },
      world: null,
      seed,
      choices: null,
      mutant: null,
      strict,
      minJudged: null,
      sloSkipped: null,
      versions: { ...versions, k6: 'unknown' },
      command,
      rules: [],
      ownRules: {},
      waivers: [],
      repro: null,
      mix,
      load,
      machine: runnersText(record),
      instances: record.parallelism,
      search: null,
      slo,
    },
  )
}

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

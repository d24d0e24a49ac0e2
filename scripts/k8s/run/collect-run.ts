import { appendFile } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import { listSeriesFiles } from '../../k6/instances.ts'
import { logDuration } from '../../progress/detail.ts'
import type { Cluster } from '../api/open-cluster.ts'
import { gatherFiles } from '../collect/gather-files.ts'
import type { RequestCollector } from '../collect/request-collector.ts'
import type { RunnerState } from '../diagnose/diagnose.ts'
import { formatSeriesName } from '../manifests/k6-test-run.ts'
import { concludeRun, type EndOfRun, type FollowOptions, followRun } from './follow-run.ts'

export type CollectOptions = Omit<FollowOptions, 'clock'> & {
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

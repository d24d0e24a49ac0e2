import { appendFile } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import type { Cluster } from '../api/open-cluster.ts'
import type { RunnerState } from '../diagnose/diagnose.ts'

/** Of each pod: what k6 says last tells why it ended. */
const LOG_MAX = { tailLines: 1000, limitBytes: 256 * 1024 }
/** How many are asked for at once. */
const AT_ONCE = 8

/**
 * Keeps what the runners said in one file, each after a line with its name; those that said nothing are left out. Answers it by
 * the number of the runner.
 */
export async function keepLogs(
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

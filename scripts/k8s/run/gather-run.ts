import { BreakwaterError, EXIT, type ExitCode } from '../../../contract/breakwater-error.ts'
import type { Io } from '../../io.ts'
import { tellReport } from '../../tell-report.ts'
import type { KubeObject } from '../api/kube-object.ts'
import type { Cluster } from '../api/open-cluster.ts'
import { readRunRecord } from '../run-record.ts'
import { collectorInPod } from './ask-collector.ts'
import { leftLine } from './deletion-line.ts'
import { superviseRun } from './supervise-run.ts'
import { withClusterFolder } from './with-cluster-folder.ts'

/**
 * Makes the report of a run that is in the cluster, once it has ended; nothing of it is changed there. Throws a BreakwaterError
 * (environment) where there is no such run, or nothing of it is to be had any more.
 */
export async function gatherRun(
  cluster: Cluster,
  options: { name: string; io: Io; out: string | null; json: boolean; startSeconds: number },
): Promise<{ folder: { dir: string; shown: string }; exitCode: ExitCode }> {
  const { name, io, out, json, startSeconds } = options
  const testRun = await cluster.get('TestRun', name)
  if (testRun === null) {
    throw new BreakwaterError(`there is no TestRun ${name} in namespace ${cluster.namespace}`, {
      hint: `\`kubectl get testruns -n ${cluster.namespace}\` lists those that there are; --namespace names another. What a run of that name left that never began goes by \`${leftLine(cluster, name)}\`.`,
      exitCode: EXIT.environment,
    })
  }
  const record = readRunRecord(testRun.metadata.annotations, name)
  if (record.results.kind === 'here') {
    throw new BreakwaterError(
      `TestRun ${name}: its runners push to ${record.results.host}, not into the cluster`,
      {
        hint: 'What they measured was gathered by the command that made it: its run folder holds it.',
        exitCode: EXIT.environment,
      },
    )
  }
  const token = await tokenOf(cluster, name)
  const now = new Date()
  const startedAt = record.startedAt ?? new Date(testRun.metadata.creationTimestamp ?? now).toISOString()
  return withClusterFolder(record, { out, cwd: io.cwd, now, startedAt }, async (folder) => {
    await superviseRun({
      cluster,
      name,
      record,
      folder,
      io,
      startSeconds,
      request: collectorInPod(cluster, { name, token }),
      target: null,
      endsLoad: false,
    })
    return { folder, exitCode: await tellReport({ folder, json, io }) }
  })
}

async function tokenOf(cluster: Cluster, name: string): Promise<string> {
  const secret = await cluster.get<KubeObject & { data?: Record<string, string> }>('Secret', name)
  const token = secret?.data?.token
  if (token !== undefined) return Buffer.from(token, 'base64').toString()
  throw new BreakwaterError(`there is no Secret ${name} with a token in namespace ${cluster.namespace}`, {
    hint: 'It belongs to the run, and was deleted: what the runners measured can no longer be asked for.',
    exitCode: EXIT.environment,
  })
}

/** This folder runs a load in a cluster: from its objects to its report. */
import { randomBytes } from 'node:crypto'
import { BreakwaterError, type ExitCode } from '../../../contract/breakwater-error.ts'
import { watchTarget } from '../../capacity/scrape-target.ts'
import { throwIfInterrupted } from '../../interrupted.ts'
import type { Io } from '../../io.ts'
import { step } from '../../progress/step.ts'
import { tellReport } from '../../tell-report.ts'
import type { Cluster } from '../api/open-cluster.ts'
import type { ClusterLoadPlan } from '../cluster-load.ts'
import { cleanUp } from '../diagnose/clean-up.ts'
import { manifestFiles } from '../manifests/manifest-files.ts'
import type { ManifestParts } from '../manifests/manifest-parts.ts'
import { recordOfPlan } from '../record-of-plan.ts'
import { deleteAtExit } from './delete-at-exit.ts'
import { deletionLine } from './deletion-line.ts'
import { mustBeFree } from './must-be-free.ts'
import { openResults } from './open-results.ts'
import { startRun } from './start-run.ts'
import { superviseRun } from './supervise-run.ts'
import { type ClusterFolder, withClusterFolder } from './with-cluster-folder.ts'

/**
 * Makes the load in the cluster, and its report here; whatever comes, what it made there is deleted, unless it is to be kept.
 * Throws a BreakwaterError: environment where the load could not begin, interrupted where the user asked for the end before it did.
 */
export async function runClusterLoad(
  plan: ClusterLoadPlan,
  { cluster, io, keep }: { cluster: Cluster; io: Io; keep: boolean },
): Promise<{ folder: { dir: string; shown: string }; exitCode: ExitCode }> {
  const { name } = plan.cluster
  await mustBeFree(cluster, name)
  const files = await step(io, 'script', () => manifestFiles(plan, io.env))
  throwIfInterrupted(io.interrupted)
  const now = new Date()
  const startedAt = now.toISOString()
  const runRecord = recordOfPlan(plan, { startedAt })
  const token = randomBytes(TOKEN_BYTES).toString('base64url')
  const parts = { ...files, token, namespace: cluster.namespace, runRecord, collectorUrl: null }
  return withClusterFolder(runRecord, { out: plan.out, cwd: io.cwd, now, startedAt }, async (folder) => {
    const guard = keep ? null : deleteAtExit({ env: io.env, namespace: cluster.namespace, name })
    try {
      await makeLoad(plan, { cluster, io, parts, folder })
    } finally {
      if (keep) io.tell(`kept in the cluster; to delete it: ${deletionLine(cluster, name)}`)
      else await removeAll(io, { cluster, name })
      guard?.release()
    }
    return { folder, exitCode: await tellReport({ folder, json: plan.json, io }) }
  })
}

const TOKEN_BYTES = 32

async function makeLoad(
  plan: ClusterLoadPlan,
  { cluster, io, parts, folder }: { cluster: Cluster; io: Io; parts: ManifestParts; folder: ClusterFolder },
): Promise<void> {
  const { name, startSeconds } = plan.cluster
  const results = await openResults(plan, { cluster, io, parts })
  const target = watchTarget({ profile: plan.target.profile, ca: parts.ca })
  try {
    await startRun(plan, { cluster, parts: { ...parts, collectorUrl: results.pushUrl } })
    await superviseRun({
      cluster,
      name,
      record: parts.runRecord,
      folder,
      io,
      startSeconds,
      request: results.request,
      target,
      endsLoad: true,
    })
  } finally {
    target.stop()
    await results.close()
  }
}

/** Never throws: what was measured is here already. */
async function removeAll(io: Io, { cluster, name }: { cluster: Cluster; name: string }): Promise<void> {
  await step(io, 'deleting what was made in the cluster', () => cleanUp(cluster, name)).catch(
    (error: unknown) => {
      if (!(error instanceof BreakwaterError)) throw error
      io.stderr(`not all of it is deleted: ${error.message}\n  ${deletionLine(cluster, name)}\n`)
    },
  )
}

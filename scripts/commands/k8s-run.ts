/** `breakwater k8s run`: a load that pods of a cluster make together, gathered, judged on the whole, and cleared away. */
import type { ExitCode } from '../../contract/breakwater-error.ts'
import { type BaselineOptions, tellBaseline } from '../compare/tell-baseline.ts'
import { orInterrupted } from '../interrupted.ts'
import { openCluster } from '../k8s/api/open-cluster.ts'
import { requireRights } from '../k8s/api/require-rights.ts'
import { rightsOfRun } from '../k8s/api/rights.ts'
import type { ClusterLoadPlan } from '../k8s/cluster-load.ts'
import { type ClusterOptions, planClusterLoad } from '../k8s/plan-cluster-load.ts'
import { runClusterLoad } from '../k8s/run/run-cluster-load.ts'
import { runnersText } from '../k8s/run/runners-text.ts'
import { announceLoad } from '../load/announce-load.ts'
import { tooShort } from '../load/too-short.ts'
import { mustBeFolder } from '../past-runs/find-baseline.ts'
import { step } from '../progress/step.ts'

export type ClusterRunOptions = Omit<ClusterOptions, 'name'> &
  BaselineOptions & {
    name?: string
    /** Leaves in the cluster what was made there. */
    keep?: true
  }

/**
 * Throws a BreakwaterError: usage for a bad option or file, environment where cluster, operator or target do not do their part
 * before anything is measured.
 */
export async function runK8sRun(options: ClusterRunOptions): Promise<ExitCode> {
  const { io, name = nameAt(new Date()), keep = false, baseline, single } = options
  const plan = await orInterrupted(io.interrupted, planClusterLoad({ ...options, name }))
  await mustBeFolder(baseline, io)
  const cluster = await step(io, 'cluster', () =>
    openCluster({ env: io.env, namespace: plan.cluster.namespace, signal: io.interrupted }),
  )
  try {
    await requireRights(cluster, rightsOfRun({ hasResultsPod: plan.cluster.results.kind !== 'here' }))
    for (const line of announcement(plan, cluster.namespace)) io.tell(line)
    const { folder, exitCode } = await runClusterLoad(plan, { cluster, io, keep })
    return await tellBaseline({ baseline, single, folder, exitCode, json: plan.json, io })
  } finally {
    await cluster.close()
  }
}

/** A name that no other run has: by the second. */
function nameAt(now: Date): string {
  return `load-${now.toISOString().slice(0, 19).replace(/[-:]/g, '').toLowerCase()}`
}

function announcement(plan: ClusterLoadPlan, namespace: string): string[] {
  const { rate, seconds } = plan.heldLoad
  return [
    ...announceLoad(plan, `${rate} iterations a second for ${seconds} s`),
    `  by ${runnersText(plan.cluster)} in namespace ${namespace}: TestRun ${plan.cluster.name}`,
    ...tooShort({ ...plan, rate, seconds }).map((warning) => `  ${warning}`),
  ]
}

/** `breakwater k8s gather`: the report of a run in a cluster whose command is gone, or that was applied as it was rendered. */
import type { ExitCode } from '../../contract/breakwater-error.ts'
import type { Io } from '../io.ts'
import { openCluster } from '../k8s/api/open-cluster.ts'
import { requireRights } from '../k8s/api/require-rights.ts'
import { rightsOfGather } from '../k8s/api/rights.ts'
import { cleanUp } from '../k8s/diagnose/clean-up.ts'
import { gatherRun } from '../k8s/run/gather-run.ts'
import { step } from '../progress/step.ts'

export type ClusterGatherOptions = {
  io: Io
  /** Of the TestRun. */
  name: string
  namespace?: string
  /** Deletes in the cluster what was gathered. */
  delete?: true
  out?: string
  json?: true
  startTimeout: number
}

/** Throws a BreakwaterError (environment) where there is no such run, or nothing of it is to be had any more. */
export async function runK8sGather(options: ClusterGatherOptions): Promise<ExitCode> {
  const { io, name, namespace = null, out = null, json = false, startTimeout } = options
  const cluster = await step(io, 'cluster', () =>
    openCluster({ env: io.env, namespace, signal: io.interrupted }),
  )
  try {
    await requireRights(cluster, rightsOfGather({ deletes: options.delete === true }))
    const { exitCode } = await gatherRun(cluster, { name, io, out, json, startSeconds: startTimeout })
    if (options.delete === true && !io.interrupted.aborted)
      await step(io, 'deleting it in the cluster', () => cleanUp(cluster, name))
    return exitCode
  } finally {
    await cluster.close()
  }
}

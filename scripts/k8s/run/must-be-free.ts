import { BreakwaterError } from '../../../contract/breakwater-error.ts'
import type { KubeObject } from '../api/kube-object.ts'
import type { Cluster } from '../api/open-cluster.ts'
import { cleanUp, isOfRun, MADE } from '../diagnose/clean-up.ts'
import { resultsName } from '../manifests/metadata.ts'
import { deletionLine, leftLine } from './deletion-line.ts'

type FreeCluster = Pick<Cluster, 'get' | 'list' | 'remove' | 'namespace'>

/**
 * Makes sure that a name is free for a run: what one that never began has left is deleted. Throws a BreakwaterError (usage) where a
 * run of the name is there or may be about to begin, or something of the name is not Breakwater's.
 */
export async function mustBeFree(cluster: FreeCluster, name: string): Promise<void> {
  const { namespace } = cluster
  if ((await cluster.get('TestRun', name)) !== null) {
    throw new BreakwaterError(`--name ${name}: there is a TestRun of that name in namespace ${namespace}`, {
      hint: `Its result: \`breakwater k8s gather ${name} --namespace ${namespace}\`. To delete it: ${deletionLine(cluster, name)}`,
    })
  }
  await mustNotBeBeginning(cluster, name)
  await cleanUp(cluster, name)
  for (const { kind, nameOf } of MADE) {
    if ((await cluster.get(kind, nameOf(name))) === null) continue
    throw new BreakwaterError(
      `--name ${name}: there is a ${kind} ${nameOf(name)} in namespace ${namespace}, and it is not Breakwater's`,
      { hint: 'Choose another name: a run would overwrite it.' },
    )
  }
}

/** Of one whose TestRun is not there yet, the pod for its results is: whoever deleted that would end the run of another. */
async function mustNotBeBeginning(cluster: FreeCluster, name: string): Promise<void> {
  const pod = await cluster.get<KubeObject & { status?: { phase?: string } }>('Pod', resultsName(name))
  const isUp = pod?.status?.phase === 'Pending' || pod?.status?.phase === 'Running'
  if (!isUp || pod.metadata.deletionTimestamp !== undefined || !isOfRun(pod)) return
  throw new BreakwaterError(
    `--name ${name}: a run of that name is about to begin in namespace ${cluster.namespace}, or was killed there`,
    { hint: `Choose another name. Where it was killed: ${leftLine(cluster, name)}` },
  )
}

import { BreakwaterError } from '../../../contract/breakwater-error.ts'
import type { Kind } from '../api/kube-object.ts'
import type { Cluster } from '../api/open-cluster.ts'
import { cleanUp } from '../diagnose/clean-up.ts'
import { resultsName } from '../manifests/metadata.ts'
import { deletionLine } from './deletion-line.ts'

type FreeCluster = Pick<Cluster, 'get' | 'list' | 'remove' | 'namespace'>

/** What a run makes, which may be of somebody else's. */
const TAKEN: readonly { kind: Kind; nameOf: (run: string) => string }[] = [
  { kind: 'Secret', nameOf: (run) => run },
  { kind: 'ConfigMap', nameOf: (run) => run },
  { kind: 'NetworkPolicy', nameOf: (run) => run },
  { kind: 'NetworkPolicy', nameOf: resultsName },
  { kind: 'Service', nameOf: resultsName },
  { kind: 'Pod', nameOf: resultsName },
]

/**
 * Makes sure that a name is free for a run: what one that was killed before it began has left is deleted. Throws a BreakwaterError
 * (usage) where a run of the name is there, or something of the name that is not Breakwater's.
 */
export async function mustBeFree(cluster: FreeCluster, name: string): Promise<void> {
  const { namespace } = cluster
  if ((await cluster.get('TestRun', name)) !== null) {
    throw new BreakwaterError(`--name ${name}: there is a TestRun of that name in namespace ${namespace}`, {
      hint: `Its result: \`breakwater k8s gather ${name} --namespace ${namespace}\`. To delete it: ${deletionLine(cluster, name)}`,
    })
  }
  await cleanUp(cluster, name)
  for (const { kind, nameOf } of TAKEN) {
    if ((await cluster.get(kind, nameOf(name))) === null) continue
    throw new BreakwaterError(
      `--name ${name}: there is a ${kind} ${nameOf(name)} in namespace ${namespace}, and it is not Breakwater's`,
      { hint: 'Choose another name: a run would overwrite it.' },
    )
  }
}

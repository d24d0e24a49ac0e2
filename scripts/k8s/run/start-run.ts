import type { KubeObject } from '../api/kube-object.ts'
import type { Cluster } from '../api/open-cluster.ts'
import type { ClusterLoadPlan } from '../cluster-load.ts'
import type { ManifestParts } from '../manifests/manifest-parts.ts'
import { manifestsOf } from '../manifests/manifests-of.ts'

/**
 * Makes the objects of a run; the TestRun owns the others: who deletes it deletes them. Throws a BreakwaterError where the cluster
 * refuses one.
 */
export async function startRun(
  plan: ClusterLoadPlan,
  { cluster, parts }: { cluster: Cluster; parts: ManifestParts },
): Promise<void> {
  const testRun = manifestsOf(plan, parts).at(-1)
  if (testRun === undefined) throw new RangeError('no TestRun to make')
  const { metadata } = await cluster.apply<KubeObject>(testRun)
  const ownerUid = metadata.uid
  if (ownerUid === undefined) throw new RangeError('a TestRun without an id')
  for (const object of manifestsOf(plan, { ...parts, ownerUid }).slice(0, -1))
    await cluster.apply<KubeObject>(object)
}

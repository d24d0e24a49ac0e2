import type { KubeObject } from '../api/kube-object.ts'
import type { ClusterLoadPlan } from '../cluster-load.ts'
import { SCRIPT_NAME } from './in-pods.ts'
import type { ManifestParts } from './manifest-parts.ts'
import { metadataOf } from './metadata.ts'
import { requireRoom } from './require-room.ts'

/** The script, where the image is not to bring it. Throws a BreakwaterError (usage) where it is more than a ConfigMap holds. */
export function configMapOf(plan: ClusterLoadPlan, parts: ManifestParts & { script: string }): KubeObject {
  const data = { [SCRIPT_NAME]: parts.script }
  requireRoom(data, 'ConfigMap', 'Take the script that the image brings: --script image.')
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: metadataOf(plan.cluster.name, 'run', parts),
    data,
  }
}

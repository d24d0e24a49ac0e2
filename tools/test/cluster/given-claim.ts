import { chmodSync } from 'node:fs'
import { onTestFinished } from 'vitest'
import { temporaryFolder } from '../temporary-folder.ts'
import type { GivenCluster } from './given-cluster.ts'

const CLASS = 'breakwater-test'

/**
 * A claim of the namespace whose volume is a folder of this machine, which must be the cluster’s one node. Gone with the test.
 */
export function givenClaim({ kubectl, namespace }: GivenCluster): { claim: string; folder: string } {
  const folder = temporaryFolder()
  // Pods are another user.
  chmodSync(folder, 0o777)
  const volume = {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name: namespace },
    spec: {
      capacity: { storage: '1Gi' },
      accessModes: ['ReadWriteMany'],
      storageClassName: CLASS,
      persistentVolumeReclaimPolicy: 'Retain',
      claimRef: { namespace, name: 'results' },
      hostPath: { path: folder, type: 'Directory' },
    },
  }
  const claim = {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name: 'results' },
    spec: {
      accessModes: ['ReadWriteMany'],
      storageClassName: CLASS,
      volumeName: namespace,
      resources: { requests: { storage: '1Gi' } },
    },
  }
  onTestFinished(() => {
    kubectl(['delete', 'persistentvolume', namespace, '--wait=false', '--ignore-not-found'])
  })
  for (const object of [volume, claim]) kubectl(['apply', '--filename', '-'], JSON.stringify(object))
  kubectl(['wait', '--for=jsonpath={.status.phase}=Bound', 'persistentvolumeclaim/results', '--timeout=60s'])
  return { claim: 'results', folder }
}

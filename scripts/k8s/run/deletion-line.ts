import type { Cluster } from '../api/open-cluster.ts'

/** The command line that deletes all that a run has made in the cluster: its TestRun owns the rest. */
export function deletionLine({ namespace }: Pick<Cluster, 'namespace'>, name: string): string {
  return `kubectl delete testrun ${name} --namespace ${namespace}`
}

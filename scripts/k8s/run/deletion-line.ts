import type { Cluster } from '../api/open-cluster.ts'

/** The command line that deletes all that a run has made in the cluster: its TestRun owns the rest. */
export function deletionLine({ namespace }: Pick<Cluster, 'namespace'>, name: string): string {
  return `kubectl delete testrun ${name} --namespace ${namespace}`
}

/** The command line that deletes what a run has left that never had a TestRun. */
export function leftLine({ namespace }: Pick<Cluster, 'namespace'>, name: string): string {
  const labels = `app.kubernetes.io/managed-by=breakwater,app.kubernetes.io/instance=${name}`
  return `kubectl delete pod,service,secret,configmap,networkpolicy --namespace ${namespace} -l ${labels}`
}

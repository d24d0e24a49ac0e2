import type { GivenCluster } from './given-cluster.ts'

const KINDS = 'testruns,jobs,pods,secrets,configmaps,services,networkpolicies'

/** What runs have left in the namespace, `pod/load-1-x7k2`; a stub is none of theirs. */
export function leftInCluster({ kubectl }: GivenCluster): string[] {
  const names = kubectl(['get', KINDS, '--output=name']).split('\n')
  return names.filter((name) => name !== '' && !/stub|kube-root-ca/.test(name))
}

import type { OfferedLoad, Target } from '../../contract/scenario-config.ts'
import { type HeldLoadPlan, vusFor } from '../load/plan-load.ts'

/** A rate that runners in a Kubernetes cluster hold together. */
export type ClusterLoadPlan = HeldLoadPlan & { target: Target; cluster: ClusterChoices }

/** How the cluster makes it. */
export type ClusterChoices = {
  /** Of the TestRun, and of what stands beside it: a DNS label, at most 40 characters. */
  name: string
  /** Null: that of the kubeconfig's context. */
  namespace: string | null
  /** Runners: each makes an equal segment of the load. */
  parallelism: number
  image: string
  imagePullPolicy: 'Always' | 'IfNotPresent' | 'Never'
  /** A Secret of the namespace, by which the images may be pulled; null: none. */
  imagePullSecret: string | null
  /** Starts the runners: anything with a shell and curl. Null: the operator's own. */
  starterImage: string | null
  /** Where the runners find the script: in a ConfigMap made for this run, or in the image. */
  script: 'configmap' | 'image'
  results: ResultsPlace
  /** Whether each runner must have a node of its own. */
  separate: boolean
  /** Of each runner, requested and its limit: cores, and bytes. */
  cpu: number
  memoryBytes: number
  /** Where the operator lives: it alone may speak to the runners. */
  operatorNamespace: string
  /** How long pods may take until all runners have begun. */
  startSeconds: number
}

/**
 * Where runners leave what they measure. `pod`: they push it to a collector in a pod of its own; `claim`: they write to a volume
 * that all of them can mount, which that pod mounts too; `here`: they push it to a collector in this process, at an address
 * of this machine.
 */
export type ResultsPlace =
  | { kind: 'pod' }
  | { kind: 'claim'; claim: string }
  | { kind: 'here'; host: string; port: number }

/** The one load that all runners offer together, each its segment of it. */
export function offeredLoadOf(
  plan: Pick<ClusterLoadPlan, 'heldLoad' | 'mix' | 'slo' | 'vusMax'> & {
    cluster: Pick<ClusterChoices, 'parallelism'>
  },
): OfferedLoad {
  const { heldLoad, mix, slo, vusMax, cluster } = plan
  const { rate, warmUpSeconds, seconds } = heldLoad
  return {
    stages: [{ seconds: warmUpSeconds + seconds, rate }],
    rateFrom: rate,
    vusMax: Math.max(cluster.parallelism, vusFor({ mix, slo, rate, vusLimit: vusMax })),
    instances: cluster.parallelism,
  }
}

import { type CapacityOptions, type CapacityPlan, planCapacity } from '../capacity/plan-capacity.ts'
import { type ClusterPlan, planInCluster, type RunnerOptions } from './plan-cluster-load.ts'
import { runnersText } from './run-record.ts'

export type ClusterCapacityOptions = Omit<
  CapacityOptions,
  'world' | 'choices' | 'mutant' | 'instances' | 'reach' | 'overhead'
> &
  RunnerOptions

export type ClusterCapacityPlan = CapacityPlan & ClusterPlan

/** From one trial to the next, the operator deletes, makes and starts the runners (docs/guides/kubernetes.md). */
const OVERHEAD_SECONDS = 10
/** The memory of a socket and its share of a VU, in VUs. Measured: 2000 sockets in 560 MB. */
const VUS_PER_SOCKET = 0.25
/** A search of this machine takes five minutes at most; here, half of the time is the overhead. */
const SECONDS_MAX = 900

/**
 * Plans a search from runners, without contacting the cluster or the target. The memory of the runners fits all VUs that
 * the search may need, so that a cluster without room for them is found at the first trial. Throws like
 * `planClusterLoad` and `planCapacity`.
 */
export async function planClusterCapacity(options: ClusterCapacityOptions): Promise<ClusterCapacityPlan> {
  const { maxDuration = options.stages === undefined ? SECONDS_MAX : undefined } = options
  const plan = await planInCluster<CapacityOptions, CapacityPlan>(
    { ...options, overhead: OVERHEAD_SECONDS, ...(maxDuration !== undefined && { maxDuration }) },
    { plan: planCapacity, vusMax: countMemoryVus },
  )
  return { ...plan, machine: runnersText(plan.cluster) }
}

function countMemoryVus({ sockets, goal, vusMax }: CapacityPlan): number {
  if (sockets === null) return vusMax
  const { roomsPerSocket = 1, normalSockets = 0 } = sockets
  return VUS_PER_SOCKET * (Math.ceil((goal.rateMax ?? 0) / roomsPerSocket) + normalSockets)
}

import type { ExitCode } from '../../contract/breakwater-error.ts'
import { type CapacityOptions, type CapacityPlan, planCapacity } from '../capacity/plan-capacity.ts'
import { announceSearch, runSearch } from '../capacity/run-search.ts'
import { openCluster, requireRights } from '../k8s/api/open-cluster.ts'
import { listRunRights } from '../k8s/api/rights.ts'
import { type ClusterPlan, nameAt, planInCluster, type RunnerOptions } from '../k8s/plan-cluster-load.ts'
import { computeStartSeconds, withRunners } from '../k8s/run/with-runners.ts'
import { runnersText } from '../k8s/run-record.ts'
import type { LiveOptions } from '../live/with-live-view.ts'
import { withTrials } from '../load/with-trials.ts'
import { step } from '../progress/detail.ts'
import { VERSION } from '../project.ts'
import { type BaselineOptions, withRun } from '../runs/with-run.ts'
import { oneTarget } from '../runs/worlds.ts'

export type ClusterSearchOptions = Omit<ClusterCapacityOptions, 'name'> &
  BaselineOptions &
  LiveOptions & { name?: string }

/**
 * `capacity --k8s`. Throws a BreakwaterError: usage for a bad option or file, environment if the cluster or the operator
 * fails before anything is measured.
 */
export function runClusterCapacity(options: ClusterSearchOptions): Promise<ExitCode> {
  const { name = nameAt('capacity', new Date()) } = options
  return withRun(
    {
      ...options,
      plan: () => planClusterCapacity({ ...options, name }),
      announce: announceSearch,
      // The image has its own k6.
      readyGenerator: async () => ({ version: 'unknown' }),
      openWorlds: async ({ target }) => oneTarget(target),
    },
    async ({ plan, worlds, io, openFolder }) => {
      const cluster = await step(io, 'cluster', () =>
        openCluster({ env: io.env, namespace: plan.cluster.namespace, signal: io.interrupted }),
      )
      try {
        await requireRights(cluster, listRunRights({ hasResultsPod: plan.cluster.results.kind !== 'here' }))
        io.log(`  from ${plan.machine} in namespace ${cluster.namespace}: TestRuns ${name}-t1, ${name}-t2, …`)
        return await withRunners(plan, { cluster, io }, async (generator) => {
          const folder = await openFolder()
          const ended = await withTrials({ plan, generator, worlds, folder, io }, (trials) =>
            runSearch(plan, trials, io),
          )
          const versions = { breakwater: VERSION, node: process.version, k6: generator.version }
          await folder.finish(ended, { versions })
          return folder
        })
      } finally {
        await cluster.close()
      }
    },
  )
}

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
  const { stages, startSeconds, parallelism } = options
  const { maxDuration = stages === undefined ? SECONDS_MAX : undefined } = options
  // Stages are a single trial, whose runners may use all of the time to start.
  const overhead = stages === undefined ? OVERHEAD_SECONDS : startSeconds + computeStartSeconds(parallelism)
  const plan = await planInCluster<CapacityOptions, CapacityPlan>(
    { ...options, overhead, ...(maxDuration !== undefined && { maxDuration }) },
    { plan: planCapacity, vusMax: countMemoryVus },
  )
  return { ...plan, machine: runnersText(plan.cluster) }
}

function countMemoryVus({ sockets, goal, vusMax }: CapacityPlan): number {
  if (sockets === null) return vusMax
  const { roomsPerSocket = 1, normalSockets = 0 } = sockets
  return VUS_PER_SOCKET * (Math.ceil((goal.rateMax ?? 0) / roomsPerSocket) + normalSockets)
}

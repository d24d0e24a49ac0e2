import type { ExitCode } from '../../contract/breakwater-error.ts'
import { announceSearch, runSearch } from '../capacity/run-search.ts'
import { openCluster } from '../k8s/api/open-cluster.ts'
import { listRunRights } from '../k8s/api/rights.ts'
import { type ClusterCapacityOptions, planClusterCapacity } from '../k8s/plan-cluster-capacity.ts'
import { withRunners } from '../k8s/run/with-runners.ts'
import type { LiveOptions } from '../live/with-live-view.ts'
import { withTrials } from '../load/with-trials.ts'
import { step } from '../progress/detail.ts'
import { VERSION } from '../project.ts'
import { type BaselineOptions, withRun } from '../runs/with-run.ts'
import { oneTarget } from '../runs/worlds.ts'
import { nameAt, requireRights } from './k8s.ts'

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

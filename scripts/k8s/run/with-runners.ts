import { randomBytes } from 'node:crypto'
import { type Io, throwIfInterrupted } from '../../io.ts'
import type { Generator } from '../../load/run-load.ts'
import { step } from '../../progress/detail.ts'
import type { Cluster } from '../api/open-cluster.ts'
import { manifestFiles } from '../manifests/manifest-parts.ts'
import type { ClusterPlan } from '../plan-cluster-load.ts'
import { deleteAtExit } from './clean-up.ts'
import { clusterGenerator, nameTestRun } from './cluster-generator.ts'
import { openResults } from './open-results.ts'
import { mustBeFree, removeAll, TOKEN_BYTES } from './run-cluster-load.ts'

/**
 * Makes the objects that the runners of all trials use, once, and always deletes them and the runners. Throws a
 * BreakwaterError: usage if the name is taken, environment if the results pod does not start, interrupted if Ctrl-C
 * came before that.
 */
export async function withRunners<Result>(
  plan: ClusterPlan,
  { cluster, io }: { cluster: Cluster; io: Io },
  use: (generator: Generator) => Promise<Result>,
): Promise<Result> {
  const { name } = plan.cluster
  const { namespace } = cluster
  const testRun = nameTestRun(name, 1)
  await mustBeFree(cluster, name, testRun)
  const files = await step(io, 'script', () => manifestFiles(plan, io.env))
  throwIfInterrupted(io.interrupted)
  const token = randomBytes(TOKEN_BYTES).toString('base64url')
  const parts = { ...files, token, namespace, runRecord: null, collectorUrl: null }
  const guard = deleteAtExit({ env: io.env, namespace, name })
  let testRuns: readonly string[] = []
  try {
    const results = await openResults(plan, { cluster, io, parts, testRun })
    const generator = clusterGenerator(plan, {
      cluster,
      parts: { ...parts, collectorUrl: results.pushUrl },
      results,
    })
    testRuns = generator.testRuns
    try {
      return await use(generator)
    } finally {
      await results.close()
    }
  } finally {
    await removeAll(io, { cluster, name, testRuns })
    guard.release()
  }
}

/** `breakwater k8s render`: the objects of a load in a cluster, for whatever applies them. */
import { randomBytes } from 'node:crypto'
import { BreakwaterError, EXIT, type ExitCode } from '../../contract/breakwater-error.ts'
import { collectorUrlOf } from '../k8s/manifests/collector-url.ts'
import { manifestFiles } from '../k8s/manifests/manifest-files.ts'
import { manifestsOf } from '../k8s/manifests/manifests-of.ts'
import { objectsText } from '../k8s/manifests/objects-text.ts'
import { type ClusterOptions, planClusterLoad } from '../k8s/plan-cluster-load.ts'
import { recordOfPlan } from '../k8s/record-of-plan.ts'
import { tooShort } from '../load/too-short.ts'

const NAME = 'breakwater'
const TOKEN_BYTES = 32

/** Prints them; asks neither the cluster nor the target. Throws a BreakwaterError (usage) for a bad option or file. */
export async function runK8sRender(
  options: Omit<ClusterOptions, 'name'> & { name?: string },
): Promise<ExitCode> {
  const { io, name = NAME, json } = options
  if (options.results.kind === 'here') {
    throw new BreakwaterError('--results here: this command ends before there is anything to keep', {
      hint: 'Leave it to a pod (--results pod) or a volume (--results claim=NAME); `k8s run` can keep it here.',
    })
  }
  const plan = await planClusterLoad({ ...options, name })
  const { cluster, heldLoad } = plan
  const objects = manifestsOf(plan, {
    ...(await manifestFiles(plan, io.env)),
    collectorUrl: collectorUrlOf(cluster),
    token: randomBytes(TOKEN_BYTES).toString('base64url'),
    namespace: cluster.namespace,
    runRecord: recordOfPlan(plan, { startedAt: null }),
  })
  for (const line of [
    `TestRun ${name}: ${heldLoad.rate} iterations a second for ${heldLoad.seconds} s by ${cluster.parallelism} runners`,
    '  the Secret holds wallets and tokens: keep it from others',
    ...tooShort({ ...plan, ...heldLoad }).map((warning) => `  ${warning}`),
  ])
    io.tell(line)
  io.document(objectsText(objects, { json }))
  return EXIT.ok
}

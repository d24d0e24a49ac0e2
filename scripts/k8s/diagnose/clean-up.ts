import { setTimeout as wait } from 'node:timers/promises'
import { BreakwaterError, EXIT } from '../../../contract/breakwater-error.ts'
import type { Kind, KubeObject } from '../api/kube-object.ts'
import type { Cluster } from '../api/open-cluster.ts'
import { resultsName } from '../manifests/metadata.ts'

type CleanedCluster = Pick<Cluster, 'get' | 'list' | 'remove' | 'namespace'>

/** The objects that a run makes besides its TestRun. */
export const MADE: readonly { kind: Kind; nameOf: (run: string) => string }[] = [
  { kind: 'Pod', nameOf: resultsName },
  { kind: 'Service', nameOf: resultsName },
  { kind: 'NetworkPolicy', nameOf: resultsName },
  { kind: 'NetworkPolicy', nameOf: (run) => run },
  { kind: 'ConfigMap', nameOf: (run) => run },
  { kind: 'Secret', nameOf: (run) => run },
]

/** The objects that the operator makes, which are deleted with the TestRun. */
const OF_OPERATOR: readonly Kind[] = ['Job', 'Pod', 'Service']

/**
 * Deletes what a run of the name has in the cluster, and waits until it is gone; an object that Breakwater did not make stays, whatever
 * its name. Throws a BreakwaterError (environment) if the cluster refuses, or something is still there after `timeoutMs`.
 */
export async function cleanUp(
  cluster: CleanedCluster,
  run: string,
  { timeoutMs = 60_000, pollMs = 300 }: { timeoutMs?: number; pollMs?: number } = {},
): Promise<void> {
  const untilMs = performance.now() + timeoutMs
  await cluster.remove('TestRun', run)
  for (const { kind, name } of await madeObjects(cluster, run)) await cluster.remove(kind, name)
  for (;;) {
    const left = await findLeft(cluster, run)
    if (left.length === 0) return
    if (performance.now() >= untilMs) throw stillThere(left, { cluster, timeoutMs })
    await wait(pollMs)
  }
}

/** Returns kinds and names of what still exists. */
async function findLeft(cluster: CleanedCluster, run: string): Promise<string[]> {
  const testRun = await cluster.get('TestRun', run)
  const left = testRun === null ? [] : [`TestRun ${run}`]
  left.push(...(await madeObjects(cluster, run)).map(({ kind, name }) => `${kind} ${name}`))
  for (const kind of OF_OPERATOR) {
    const objects = await cluster.list(kind, { labels: `app=k6,k6_cr=${run}` })
    left.push(...objects.map(({ metadata }) => `${kind} ${metadata.name}`))
  }
  return left
}

async function madeObjects(cluster: CleanedCluster, run: string): Promise<{ kind: Kind; name: string }[]> {
  const found: { kind: Kind; name: string }[] = []
  for (const { kind, nameOf } of MADE) {
    const name = nameOf(run)
    const object = await cluster.get<KubeObject>(kind, name)
    if (object !== null && isOfRun(object)) found.push({ kind, name })
  }
  return found
}

/** Whether a run of Breakwater made the object. */
export function isOfRun({ metadata }: KubeObject): boolean {
  return metadata.labels?.['app.kubernetes.io/managed-by'] === 'breakwater'
}

function stillThere(
  left: readonly string[],
  { cluster, timeoutMs }: { cluster: CleanedCluster; timeoutMs: number },
): BreakwaterError {
  const [first = ''] = left
  const more = left.length === 1 ? '' : ` and ${left.length - 1} more`
  return new BreakwaterError(
    `namespace ${cluster.namespace}: ${first}${more} is still there ${timeoutMs / 1000} s after it was deleted`,
    {
      hint: `Something holds it: \`kubectl get ${first.toLowerCase()} -n ${cluster.namespace} -o yaml\` shows its finalizers.`,
      exitCode: EXIT.environment,
    },
  )
}

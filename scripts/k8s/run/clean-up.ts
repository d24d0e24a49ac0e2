import { spawn } from 'node:child_process'
import { buffer } from 'node:stream/consumers'
import { setTimeout as wait } from 'node:timers/promises'
import { BreakwaterError, EXIT } from '../../../contract/breakwater-error.ts'
import { logDetail } from '../../progress/detail.ts'
import type { Kind, KubeObject } from '../api/kube-object.ts'
import type { Cluster } from '../api/open-cluster.ts'
import type { PodView } from '../diagnose/pod-standing.ts'
import { K6_PORT, resultsName } from '../manifests/manifest-parts.ts'

type CleanedCluster = Pick<Cluster, 'get' | 'list' | 'remove' | 'namespace'>

/** The objects that a run makes besides its TestRun. */
export const MADE: readonly { kind: Kind; getName: (run: string) => string }[] = [
  { kind: 'Pod', getName: resultsName },
  { kind: 'Service', getName: resultsName },
  { kind: 'NetworkPolicy', getName: resultsName },
  { kind: 'NetworkPolicy', getName: (run) => run },
  { kind: 'ConfigMap', getName: (run) => run },
  { kind: 'Secret', getName: (run) => run },
]

/** The objects that the operator makes, which are deleted with the TestRun. */
const OF_OPERATOR: readonly Kind[] = ['Job', 'Pod', 'Service']

/**
 * Deletes what a run of the name has in the cluster, and waits until it is gone; an object that Breakwater did not make stays, whatever
 * its name. `testRuns`: their names, by default the name of the run. Throws a BreakwaterError (environment) if the cluster refuses, or something is still there after `timeoutMs`.
 */
export async function cleanUp(
  cluster: CleanedCluster,
  run: string,
  {
    testRuns = [run],
    timeoutMs = 60_000,
    pollMs = 300,
  }: { testRuns?: readonly string[]; timeoutMs?: number; pollMs?: number } = {},
): Promise<void> {
  const untilMs = performance.now() + timeoutMs
  for (const testRun of testRuns) await cluster.remove('TestRun', testRun)
  for (const { kind, name } of await madeObjects(cluster, run)) await cluster.remove(kind, name)
  for (;;) {
    const left = await findLeft(cluster, run, testRuns)
    if (left.length === 0) return
    if (performance.now() >= untilMs) throw stillThere(left, { cluster, timeoutMs })
    await wait(pollMs)
  }
}

async function findLeft(
  cluster: CleanedCluster,
  run: string,
  testRuns: readonly string[],
): Promise<string[]> {
  const left: string[] = []
  for (const testRun of testRuns)
    if ((await cluster.get('TestRun', testRun)) !== null) left.push(`TestRun ${testRun}`)
  left.push(...(await madeObjects(cluster, run)).map(({ kind, name }) => `${kind} ${name}`))
  for (const kind of OF_OPERATOR) {
    if (testRuns.length === 0) break
    const objects = await cluster.list(kind, { labels: `app=k6,k6_cr in (${testRuns.join(',')})` })
    left.push(...objects.map(({ metadata }) => `${kind} ${metadata.name}`))
  }
  return left
}

async function madeObjects(cluster: CleanedCluster, run: string): Promise<{ kind: Kind; name: string }[]> {
  const found: { kind: Kind; name: string }[] = []
  for (const { kind, getName } of MADE) {
    const name = getName(run)
    const object = await cluster.get<KubeObject>(kind, name)
    if (object !== null && belongsToRun(object)) found.push({ kind, name })
  }
  return found
}

export function belongsToRun({ metadata }: KubeObject): boolean {
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

type StoppedCluster = Pick<Cluster, 'requestPod' | 'get' | 'remove'>

/** The REST API of each k6 that the operator starts: https://grafana.com/docs/k6/latest/reference/k6-rest-api/ */
const STOP = {
  method: 'PATCH',
  path: '/v1/status',
  headers: { 'Content-Type': 'application/json' },
  body: JSON.stringify({ data: { type: 'status', id: 'default', attributes: { stopped: true } } }),
} as const

const AT_ONCE = 16
/** Time for k6 to stop after a signal. The operator's pods set none. */
const GRACE_SECONDS = 30

/**
 * Stops k6 in the pods: it keeps its measurements and its own exit code. A pod that does not respond, for example
 * because a network policy blocks the API server, is deleted; k6 then ends by a signal and also keeps its measurements.
 * Throws a BreakwaterError if the cluster does not respond, after the current requests end.
 */
export async function stopRunners(
  cluster: StoppedCluster,
  pods: readonly string[],
  { timeoutMs = 5_000 }: { timeoutMs?: number } = {},
): Promise<void> {
  const left = pods.values()
  const work = async () => {
    for (const pod of left) await stopPod(cluster, pod, timeoutMs)
  }
  const ends = await Promise.allSettled(Array.from({ length: AT_ONCE }, work))
  const failed = ends.find((one) => one.status === 'rejected')
  if (failed !== undefined) throw failed.reason
}

async function stopPod(cluster: StoppedCluster, name: string, timeoutMs: number): Promise<void> {
  const problem = await stopByRest(cluster, name, timeoutMs)
  if (problem === null) return
  const pod = await cluster.get<PodView & KubeObject>('Pod', name)
  if (pod === null || pod.status?.phase === 'Succeeded' || pod.status?.phase === 'Failed') return
  logDetail(`${name} does not stop through its REST API, and is deleted: ${problem}`)
  await cluster.remove('Pod', name, { graceSeconds: GRACE_SECONDS })
}

async function stopByRest(cluster: StoppedCluster, pod: string, timeoutMs: number): Promise<string | null> {
  try {
    const { status, body } = await cluster.requestPod(pod, K6_PORT, { ...STOP, timeoutMs })
    const text = await buffer(body)
    return status < 300 ? null : `${status} ${text.toString('utf8', 0, 300)}`
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

const KINDS = 'testruns.k6.io,pods,services,secrets,configmaps,networkpolicies'

/**
 * If this process is forced to exit, as by a second Ctrl-C, kubectl deletes the run's objects in the background.
 * `release` cancels that.
 */
export function deleteAtExit(options: { env: NodeJS.ProcessEnv; namespace: string; name: string }): {
  release(): void
} {
  const { env, namespace, name } = options
  const remove = () => {
    const labels = `app.kubernetes.io/managed-by=breakwater,app.kubernetes.io/instance=${name}`
    const args = ['delete', KINDS, `--selector=${labels}`, `--namespace=${namespace}`, '--wait=false']
    spawn(env.BREAKWATER_KUBECTL || 'kubectl', args, { env, detached: true, stdio: 'ignore' })
      .on('error', () => {})
      .unref()
  }
  process.once('exit', remove)
  return { release: () => process.off('exit', remove) }
}

/** Shell command that deletes what a run or a search has in the cluster, with or without a TestRun. */
export function deletionLine({ namespace }: Pick<Cluster, 'namespace'>, name: string): string {
  const labels = `app.kubernetes.io/managed-by=breakwater,app.kubernetes.io/instance=${name}`
  return `kubectl delete testrun,pod,service,secret,configmap,networkpolicy --namespace ${namespace} -l ${labels}`
}

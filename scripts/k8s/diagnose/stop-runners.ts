import { buffer } from 'node:stream/consumers'
import { detail } from '../../progress/detail.ts'
import type { KubeObject } from '../api/kube-object.ts'
import type { Cluster } from '../api/open-cluster.ts'
import type { PodView } from './cluster-view.ts'

type StoppedCluster = Pick<Cluster, 'askPod' | 'get' | 'remove'>

/** The REST API of each k6 that the operator starts: https://grafana.com/docs/k6/latest/reference/k6-rest-api/ */
const K6_PORT = 6565
const STOP = {
  method: 'PATCH',
  path: '/v1/status',
  headers: { 'Content-Type': 'application/json' },
  body: JSON.stringify({ data: { type: 'status', id: 'default', attributes: { stopped: true } } }),
} as const

const AT_ONCE = 16
/** For k6 to end by a signal. The pods that the operator makes have none. */
const GRACE_SECONDS = 30

/**
 * Stops k6 in the pods: it ends with what it has measured and its own exit code. A pod that does not respond, such as behind a network
 * policy that keeps the API server out, is deleted; k6 then ends by a signal, also with what it has measured. Throws a BreakwaterError if
 * the cluster does not respond, once the requests under way are over.
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
  detail(`${name} does not stop through its REST API, and is deleted: ${problem}`)
  await cluster.remove('Pod', name, { graceSeconds: GRACE_SECONDS })
}

/** Null: it will stop. */
async function stopByRest(cluster: StoppedCluster, pod: string, timeoutMs: number): Promise<string | null> {
  try {
    const { status, body } = await cluster.askPod(pod, K6_PORT, { ...STOP, timeoutMs })
    const text = await buffer(body)
    return status < 300 ? null : `${status} ${text.toString('utf8', 0, 300)}`
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

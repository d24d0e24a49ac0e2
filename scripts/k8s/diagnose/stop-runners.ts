import { buffer } from 'node:stream/consumers'
import { detail } from '../../progress/detail.ts'
import type { KubeObject } from '../api/kube-object.ts'
import type { Cluster } from '../api/open-cluster.ts'
import type { PodView } from './cluster-view.ts'
import { eachOf } from './each-of.ts'

/** Where each k6 that the operator starts has its REST API: https://grafana.com/docs/k6/latest/reference/k6-rest-api/ */
const K6_PORT = 6565
const STATUS = { path: '/v1/status', headers: { 'Content-Type': 'application/json' } } as const
const STOP = JSON.stringify({ data: { type: 'status', id: 'default', attributes: { stopped: true } } })

const AT_ONCE = 16
/** For k6 to end by a signal. The pods that the operator makes have none. */
const GRACE_SECONDS = 30

/**
 * Has k6 end in the pods, which it does with what it has measured and an exit code of its own. A pod that does not take the order, as
 * where a network policy keeps the API server out, is deleted, and k6 ends by a signal, with what it has measured too. Resolves when all
 * have been told. Throws a BreakwaterError where the cluster does not answer.
 */
export async function stopRunners(
  cluster: Pick<Cluster, 'askPod' | 'get' | 'remove'>,
  pods: readonly string[],
  { timeoutMs = 5_000 }: { timeoutMs?: number } = {},
): Promise<void> {
  await eachOf(pods, AT_ONCE, async (pod) => {
    const problem = await stopByRest(cluster, pod, timeoutMs)
    if (problem === null || (await hasEnded(cluster, pod))) return
    detail(`${pod} does not take the order to stop, and is deleted: ${problem}`)
    await cluster.remove('Pod', pod, { graceSeconds: GRACE_SECONDS })
  })
}

/** Null: it will stop. */
async function stopByRest(
  cluster: Pick<Cluster, 'askPod'>,
  pod: string,
  timeoutMs: number,
): Promise<string | null> {
  try {
    const { status, body } = await cluster.askPod(pod, K6_PORT, {
      ...STATUS,
      method: 'PATCH',
      body: STOP,
      timeoutMs,
    })
    const said = await buffer(body)
    return status < 300 ? null : `${status} ${said.toString('utf8', 0, 300)}`
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

async function hasEnded(cluster: Pick<Cluster, 'get'>, name: string): Promise<boolean> {
  const pod = await cluster.get<PodView & KubeObject>('Pod', name)
  return pod === null || pod.status?.phase === 'Succeeded' || pod.status?.phase === 'Failed'
}

import { setTimeout as wait } from 'node:timers/promises'
import { throwIfInterrupted } from '../../interrupted.ts'
import type { KubeObject } from '../api/kube-object.ts'
import type { Cluster } from '../api/open-cluster.ts'
import type { EventView, PodView } from '../diagnose/cluster-view.ts'
import { diagnosePod } from '../diagnose/diagnose.ts'
import { resultsName } from '../manifests/metadata.ts'
import { failureError } from './failure-error.ts'

const LOOK_MS = 300

/**
 * Waits until the pod that keeps the results takes them. Throws a BreakwaterError: environment where it does not come up,
 * interrupted where the user asks for the end meanwhile.
 */
export async function awaitResultsPod(
  cluster: Cluster,
  options: { name: string; startSeconds: number; signal: AbortSignal; onWaiting: (why: string) => void },
): Promise<void> {
  const { signal, startSeconds, onWaiting } = options
  const name = resultsName(options.name)
  const startedMs = performance.now()
  for (;;) {
    throwIfInterrupted(signal)
    const [pod, events] = await Promise.all([
      cluster.get<PodView & KubeObject>('Pod', name),
      cluster.list<EventView & KubeObject>('Event', { fields: `involvedObject.name=${name}` }),
    ])
    const verdict = diagnosePod(pod, {
      role: 'the pod that keeps the results',
      namespace: cluster.namespace,
      events,
      waitedMs: performance.now() - startedMs,
      startMs: startSeconds * 1000,
    })
    if (verdict.kind === 'running') return
    if (verdict.kind === 'failed') throw failureError(verdict)
    if (verdict.kind === 'waiting') onWaiting(verdict.why)
    await wait(LOOK_MS, undefined, { signal }).catch(() => {})
  }
}

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { BreakwaterError, EXIT, listenFailure } from '../../../contract/breakwater-error.ts'
import { type Io, throwIfInterrupted } from '../../io.ts'
import { step } from '../../progress/detail.ts'
import type { KubeObject } from '../api/kube-object.ts'
import type { Cluster } from '../api/open-cluster.ts'
import { type AskCollector, collectorAt, collectorInPod } from '../collect/ask-collector.ts'
import { createCollector } from '../collect/create-collector.ts'
import { diagnosePod } from '../diagnose/diagnose.ts'
import type { EventView, PodView } from '../diagnose/pod-standing.ts'
import { seriesNameOf } from '../manifests/k6-test-run.ts'
import { COLLECTOR_PORT, type ManifestParts, resultsName } from '../manifests/manifest-parts.ts'
import { manifestsOf } from '../manifests/manifests-of.ts'
import type { ClusterLoadPlan, ResultsPlace } from '../plan-cluster-load.ts'
import { failureError } from './follow-run.ts'

/** Where runners leave what they measure, ready to take it. */
export type Results = {
  /** Where they push it; null: they write to a volume. */
  pushUrl: string | null
  request: AskCollector
  close(): Promise<void>
}

/**
 * Makes what keeps the results, before there is anything to keep. Throws a BreakwaterError: environment where it does not come up,
 * interrupted where the user asks for the end meanwhile.
 */
export async function openResults(
  plan: ClusterLoadPlan,
  { cluster, io, parts }: { cluster: Cluster; io: Io; parts: ManifestParts },
): Promise<Results> {
  const { name, results, startSeconds } = plan.cluster
  const { token } = parts
  if (results.kind === 'here') return openHere(results, token)
  // All but the TestRun, which makes the runners.
  const objects = manifestsOf(plan, parts).slice(0, -1)
  let service: KubeObject | undefined
  for (const object of objects) {
    const applied = await cluster.apply<KubeObject>(object)
    if (applied.kind === 'Service') service = applied
  }
  await step(io, 'the pod that keeps the results', () =>
    awaitResultsPod(cluster, {
      name,
      startSeconds,
      signal: io.interrupted,
      onWaiting: (why) => io.status([`waiting for ${why}`]),
    }),
  )
  const request = collectorInPod(cluster, { name, token })
  const close = async () => {}
  if (results.kind === 'pod')
    return { pushUrl: `http://${hostOf(service)}:${COLLECTOR_PORT}`, request, close }
  await mustBeNew(request, { name, claim: results.claim })
  return { pushUrl: null, request, close }
}

/** What a run before has left in a volume would be taken for what this one measures. */
async function mustBeNew(
  request: AskCollector,
  { name, claim }: { name: string; claim: string },
): Promise<void> {
  const first = seriesNameOf(name, 1)
  const { status, body } = await request({ path: `/files/${first}` })
  body.destroy()
  if (status !== 200) return
  throw new BreakwaterError(
    `--name ${name}: claim ${claim} holds ${first} already: a run of that name was there`,
    {
      hint: 'Choose another name, or leave it out: each run then has its own.',
    },
  )
}

/** By its address: not every cluster has names. */
function hostOf(service: KubeObject | undefined): string {
  const { clusterIP = '' } = (service?.spec ?? {}) as { clusterIP?: string } // as: every Service has one
  return clusterIP.includes(':') ? `[${clusterIP}]` : clusterIP
}

async function openHere(
  { host, port }: Extract<ResultsPlace, { kind: 'here' }>,
  token: string,
): Promise<Results> {
  const dir = await mkdtemp(join(tmpdir(), 'breakwater-results-'))
  const remove = () => rm(dir, { recursive: true, force: true })
  try {
    const collector = await createCollector({ dir, token, host, port })
    return {
      pushUrl: collector.url,
      request: collectorAt({ url: collector.url, token }),
      async close() {
        await collector.close()
        await remove()
      },
    }
  } catch (cause) {
    await remove()
    throw new BreakwaterError(
      `--results here=${host}:${port}: ${listenFailure(cause, { host: '--results', port: '--results' }).reason}`,
      {
        hint: 'Expected an address of this machine that pods reach, and a port that is free.',
        exitCode: EXIT.environment,
        cause,
      },
    )
  }
}

const LOOK_MS = 300

/**
 * Waits until the pod that keeps the results takes them. Throws a BreakwaterError: environment where it does not come up,
 * interrupted where the user asks for the end meanwhile.
 */
async function awaitResultsPod(
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

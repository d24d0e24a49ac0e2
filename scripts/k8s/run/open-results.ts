import { rmSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { BreakwaterError, EXIT, listenFailure } from '../../../contract/breakwater-error.ts'
import { type Io, throwIfInterrupted } from '../../io.ts'
import { makeScratchFolder } from '../../make-folder.ts'
import { step } from '../../progress/detail.ts'
import type { KubeObject } from '../api/kube-object.ts'
import type { Cluster } from '../api/open-cluster.ts'
import { createCollector } from '../collect/create-collector.ts'
import { collectorAt, collectorInPod, type RequestCollector } from '../collect/request-collector.ts'
import { diagnosePod } from '../diagnose/diagnose.ts'
import type { EventView, PodView } from '../diagnose/pod-standing.ts'
import { buildSharedObjects } from '../manifests/build-manifests.ts'
import { formatSeriesName } from '../manifests/k6-test-run.ts'
import { COLLECTOR_PORT, type ManifestParts, resultsName } from '../manifests/manifest-parts.ts'
import type { ClusterPlan, ResultsPlace } from '../plan-cluster-load.ts'
import { failureError } from './follow-run.ts'

export type Results = {
  pushUrl: string | null
  request: RequestCollector
  close(): Promise<void>
}

/**
 * Creates the collector before any runner starts. Throws a BreakwaterError: environment if it does not come up,
 * interrupted at Ctrl-C.
 */
export async function openResults(
  plan: ClusterPlan,
  {
    cluster,
    io,
    parts,
    testRun = plan.cluster.name,
  }: { cluster: Cluster; io: Io; parts: ManifestParts; testRun?: string },
): Promise<Results> {
  const { name, results, startSeconds } = plan.cluster
  const { token } = parts
  let service: KubeObject | undefined
  for (const object of buildSharedObjects(plan, parts)) {
    const applied = await cluster.apply<KubeObject>(object)
    if (applied.kind === 'Service') service = applied
  }
  if (results.kind === 'here') return openHere(results, token)
  await step(io, 'the results pod', () =>
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
    return { pushUrl: `http://${findAddress(service)}:${COLLECTOR_PORT}`, request, close }
  await mustBeNew(request, { name, testRun, claim: results.claim })
  return { pushUrl: null, request, close }
}

/** Old files in the volume would be mistaken for this run's. */
async function mustBeNew(
  request: RequestCollector,
  { name, testRun, claim }: { name: string; testRun: string; claim: string },
): Promise<void> {
  const first = formatSeriesName(testRun, 1)
  const { status, body } = await request({ path: `/files/${first}` })
  body.destroy()
  if (status !== 200) return
  throw new BreakwaterError(
    `--name ${name}: claim ${claim} already holds ${first} from an earlier run of that name`,
    {
      hint: 'Choose another name, or omit --name: each run then gets its own.',
    },
  )
}

/** The IP address, because not every cluster has DNS. */
function findAddress(service: KubeObject | undefined): string {
  const { clusterIP = '' } = (service?.spec ?? {}) as { clusterIP?: string } // as: every Service has one
  return clusterIP.includes(':') ? `[${clusterIP}]` : clusterIP
}

async function openHere(
  { host, port }: Extract<ResultsPlace, { kind: 'here' }>,
  token: string,
): Promise<Results> {
  const dir = await makeScratchFolder('results')
  const remove = () => {
    process.off('exit', remove)
    rmSync(dir, { recursive: true, force: true })
  }
  // Also when the process is forced to exit.
  process.once('exit', remove)
  try {
    const collector = await createCollector({ dir, token, host, port })
    return {
      pushUrl: collector.url,
      request: collectorAt({ url: collector.url, token }),
      async close() {
        await collector.close()
        remove()
      },
    }
  } catch (cause) {
    remove()
    throw new BreakwaterError(
      `--results here=${host}:${port}: ${listenFailure(cause, { host: '--results', port: '--results' }).reason}`,
      {
        hint: 'Expected an address of this machine that pods can reach, and a free port.',
        exitCode: EXIT.environment,
        cause,
      },
    )
  }
}

const LOOK_MS = 300

/** Throws a BreakwaterError: environment if the pod does not come up, interrupted at Ctrl-C. */
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
      role: 'the results pod',
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

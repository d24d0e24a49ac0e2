import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import type { OfferedLoad } from '../../../contract/scenario-config.ts'
import { type Io, throwIfInterrupted } from '../../io.ts'
import type { K6Run } from '../../k6/run-k6.ts'
import { readLoadStart } from '../../load/judge-trial.ts'
import type { Generator, OfferedRun, OfferOptions } from '../../load/run-load.ts'
import { step } from '../../progress/detail.ts'
import type { KubeObject } from '../api/kube-object.ts'
import type { Cluster } from '../api/open-cluster.ts'
import type { Diagnosis } from '../diagnose/diagnose.ts'
import { buildTestRun } from '../manifests/k6-test-run.ts'
import { type ManifestParts, manifestFiles, resultsName } from '../manifests/manifest-parts.ts'
import type { ClusterPlan } from '../plan-cluster-load.ts'
import { deleteAtExit } from './clean-up.ts'
import { readRunnersHealth, readSeriesEnd } from './cluster-facts.ts'
import { failureError } from './follow-run.ts'
import { openResults, type Results } from './open-results.ts'
import { mustBeFree, removeAll, TOKEN_BYTES } from './run-cluster-load.ts'
import { type CollectedRun, collectRun, k6VersionIn, notCollected } from './supervise-run.ts'

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

type ClusterGenerator = Generator & {
  /** Names of the TestRuns so far. */
  testRuns: readonly string[]
}

/** k6 cannot start a second load, so each trial has its own TestRun. */
function nameTestRun(run: string, trial: number): string {
  return `${run}-t${trial}`
}

/**
 * Offers each load from new runners, which use the objects that `openResults` made. A runner that fails ends its load,
 * not the search. If no runner has ever measured anything, `offer` throws a BreakwaterError (environment) with the
 * cause.
 */
function clusterGenerator(
  plan: ClusterPlan,
  { cluster, parts, results }: { cluster: Cluster; parts: ManifestParts; results: Results },
): ClusterGenerator {
  const { name, parallelism, startSeconds, cpu } = plan.cluster
  const testRuns: string[] = []
  let version = 'unknown'
  let hasMeasured = false
  const offer = async (options: OfferOptions): Promise<OfferedRun> => {
    const { folder, trial, signal } = options
    const startedAtMs = Date.now()
    const load = outlastStarts(options.load)
    const testRun = nameTestRun(name, trial)
    testRuns.push(testRun)
    await cluster.apply<KubeObject>(buildTestRun(plan, parts, { name: testRun, trial, load }))
    const logFile = join(folder, 'k6.stderr.log')
    try {
      const collected = await collectRun({
        cluster,
        name: testRun,
        instance: name,
        parallelism,
        resultsPod: plan.cluster.results.kind === 'here' ? null : resultsName(name),
        startSeconds,
        loadSeconds: sumSeconds(load),
        request: results.request,
        folder,
        logFile,
        signal,
        endsLoad: true,
        onDiagnosis: reportWaiting(options.onWaiting),
      })
      version = await k6VersionIn(collected.seriesFiles)
      hasMeasured ||= (await readLoadStart(collected.seriesFiles)) !== null
      const { failure } = collected.end
      if (failure !== null && !hasMeasured) throw failureError(failure)
      return await describeRun(collected, { startedAtMs, logFile })
    } finally {
      // Finished runners would fill the namespace, and abandoned ones would disturb the next trial.
      await cluster.remove('TestRun', testRun).catch(() => {}) // the end of the search deletes it
    }
  }
  return {
    get version() {
      return version
    },
    reachesTarget: false,
    testRuns,
    offer: (_, options) => offer(options),
    readHealth: (files, window) => readRunnersHealth(files, { ...window, cores: cpu }),
  }
}

async function describeRun(
  { seriesFiles, end, problem }: CollectedRun,
  { startedAtMs, logFile }: { startedAtMs: number; logFile: string },
): Promise<OfferedRun> {
  const run: K6Run = { ...end.k6, signal: null, startedAtMs, finishedAtMs: Date.now() }
  return {
    ...run,
    runs: [run],
    seriesFiles,
    historyFiles: [],
    stderrFiles: [logFile],
    problem: end.failure?.sentence ?? null,
    // With a runner missing, the rest is not the requested load.
    measuredToMs: await readSeriesEnd(seriesFiles),
    notes: [end.failure?.hint ?? [], problem === null ? [] : notCollected(problem)].flat(),
  }
}

/** The starter reaches about this many runners per second. */
const STARTED_PER_SECOND = 20

/** Judging begins with the last runner: the first ones continue until its judged part is over. */
function outlastStarts(load: OfferedLoad): OfferedLoad {
  const last = load.stages.at(-1)
  if (last === undefined) return load
  return { ...load, stages: [...load.stages, { ...last, seconds: computeStartSeconds(load.instances) }] }
}

/** Seconds from the start of the first runner to that of the last. */
export function computeStartSeconds(runners: number): number {
  return Math.ceil(runners / STARTED_PER_SECOND)
}

function sumSeconds({ stages }: OfferedLoad): number {
  return stages.reduce((sum, { seconds }) => sum + seconds, 0)
}

function reportWaiting(onWaiting: OfferOptions['onWaiting']): (diagnosis: Diagnosis) => void {
  let shown: string | null | undefined
  return ({ verdict }) => {
    const why = verdict.kind === 'waiting' ? verdict.why : null
    if (why !== shown) onWaiting?.(why)
    shown = why
  }
}

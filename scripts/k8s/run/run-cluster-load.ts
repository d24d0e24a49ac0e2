import { randomBytes } from 'node:crypto'
import { BreakwaterError, EXIT, type ExitCode } from '../../../contract/breakwater-error.ts'
import type { GivenHistory } from '../../../reports/trend/run-trend.ts'
import { type Io, throwIfInterrupted } from '../../io.ts'
import { watchTarget } from '../../load/scrape-target.ts'
import { step } from '../../progress/detail.ts'
import { createRunFolder, printReport, type RunFolder } from '../../runs/run-folder.ts'
import type { KubeObject } from '../api/kube-object.ts'
import type { Cluster } from '../api/open-cluster.ts'
import { collectorInPod } from '../collect/request-collector.ts'
import { buildManifests } from '../manifests/build-manifests.ts'
import { type ManifestParts, manifestFiles, resultsName } from '../manifests/manifest-parts.ts'
import type { ClusterLoadPlan } from '../plan-cluster-load.ts'
import { buildRunRecord, type RunRecord, readRunRecord, runnersText } from '../run-record.ts'
import { belongsToRun, cleanUp, deleteAtExit, deletionLine, MADE } from './clean-up.ts'
import { openResults } from './open-results.ts'
import { superviseRun } from './supervise-run.ts'

/**
 * Runs the load and writes its report here. Always deletes its objects, unless they are to be kept. Throws a
 * BreakwaterError: environment if the load could not start, interrupted if Ctrl-C came before that.
 */
export async function runClusterLoad(
  plan: ClusterLoadPlan,
  {
    cluster,
    io,
    keep,
    history,
  }: { cluster: Cluster; io: Io; keep: boolean; history?: GivenHistory | undefined },
): Promise<{ folder: { dir: string; shown: string }; exitCode: ExitCode }> {
  const { name } = plan.cluster
  await mustBeFree(cluster, name)
  const files = await step(io, 'script', () => manifestFiles(plan, io.env))
  throwIfInterrupted(io.interrupted)
  const now = new Date()
  const runRecord = buildRunRecord(plan, { startedAt: now.toISOString() })
  const token = randomBytes(TOKEN_BYTES).toString('base64url')
  const parts = { ...files, token, namespace: cluster.namespace, runRecord, collectorUrl: null }
  return withClusterFolder(runRecord, { out: plan.out, io, now, startedAt: now }, async (folder) => {
    const guard = keep ? null : deleteAtExit({ env: io.env, namespace: cluster.namespace, name })
    try {
      await makeLoad(plan, { cluster, io, parts, folder, record: runRecord })
    } finally {
      if (keep) io.log(`kept in the cluster; delete it with: ${deletionLine(cluster, name)}`)
      else await removeAll(io, { cluster, name })
      guard?.release()
    }
    return { folder, exitCode: await printReport({ folder, json: plan.json, io, history }) }
  })
}

export const TOKEN_BYTES = 32

async function makeLoad(
  plan: ClusterLoadPlan,
  {
    cluster,
    io,
    parts,
    folder,
    record,
  }: { cluster: Cluster; io: Io; parts: ManifestParts; folder: RunFolder; record: RunRecord },
): Promise<void> {
  const { name, startSeconds } = plan.cluster
  const results = await openResults(plan, { cluster, io, parts })
  const target = watchTarget({ profile: plan.target.profile, ca: parts.ca })
  try {
    await startRun(plan, { cluster, parts: { ...parts, collectorUrl: results.pushUrl } })
    await superviseRun({
      cluster,
      name,
      record,
      folder,
      io,
      startSeconds,
      request: results.request,
      target,
      endsLoad: true,
    })
  } finally {
    target.stop()
    await results.close()
  }
}

/** Never throws: the measurements are already here. `testRuns`: like `cleanUp`. */
export async function removeAll(
  io: Io,
  { cluster, name, testRuns }: { cluster: Cluster; name: string; testRuns?: readonly string[] },
): Promise<void> {
  const remove = () => cleanUp(cluster, name, testRuns === undefined ? {} : { testRuns })
  await step(io, 'deleting the objects of the run', remove).catch((error: unknown) => {
    if (!(error instanceof BreakwaterError)) throw error
    io.stderr(`some objects could not be deleted: ${error.message}\n  ${deletionLine(cluster, name)}\n`)
  })
}

/**
 * Applies the objects of a run; the TestRun owns the others, so deleting it deletes all. Throws a BreakwaterError if
 * the cluster rejects one.
 */
async function startRun(
  plan: ClusterLoadPlan,
  { cluster, parts }: { cluster: Cluster; parts: ManifestParts },
): Promise<void> {
  const testRun = buildManifests(plan, parts).at(-1)
  if (testRun === undefined) throw new RangeError('no TestRun to make')
  const { metadata } = await cluster.apply<KubeObject>(testRun)
  const ownerUid = metadata.uid
  if (ownerUid === undefined) throw new RangeError('a TestRun without an id')
  for (const object of buildManifests(plan, { ...parts, ownerUid }).slice(0, -1))
    await cluster.apply<KubeObject>(object)
}

type FreeCluster = Pick<Cluster, 'get' | 'list' | 'remove' | 'namespace'>

/**
 * Frees a name: deletes leftovers of a run that never started. `testRun`: its first TestRun. Throws a BreakwaterError (usage) if a run of that name
 * exists or may be starting, or if an object of that name is not Breakwater's.
 */
export async function mustBeFree(cluster: FreeCluster, name: string, testRun = name): Promise<void> {
  const { namespace } = cluster
  for (const taken of new Set([name, testRun])) {
    if ((await cluster.get('TestRun', taken)) === null) continue
    const collect = `Collect its result with \`breakwater k8s collect ${name} --namespace ${namespace}\`. Delete it with: ${deletionLine(cluster, name)}`
    throw new BreakwaterError(`--name ${name}: a TestRun ${taken} exists in namespace ${namespace}`, {
      hint:
        taken === name ? collect : `Choose another name, or delete it with: ${deletionLine(cluster, name)}`,
    })
  }
  await mustNotBeBeginning(cluster, name)
  await cleanUp(cluster, name, { testRuns: [testRun] })
  for (const { kind, getName } of MADE) {
    if ((await cluster.get(kind, getName(name))) === null) continue
    throw new BreakwaterError(
      `--name ${name}: a ${kind} ${getName(name)} that is not Breakwater's exists in namespace ${namespace}`,
      { hint: 'Choose another name: a run would overwrite it.' },
    )
  }
}

/**
 * Before its TestRun exists, a starting run shows only by its results pod: deleting that would end someone else's run.
 */
async function mustNotBeBeginning(cluster: FreeCluster, name: string): Promise<void> {
  const pod = await cluster.get<KubeObject & { status?: { phase?: string } }>('Pod', resultsName(name))
  const isUp = pod?.status?.phase === 'Pending' || pod?.status?.phase === 'Running'
  if (!isUp || pod.metadata.deletionTimestamp !== undefined || !belongsToRun(pod)) return
  throw new BreakwaterError(
    `--name ${name}: a run of that name is starting in namespace ${cluster.namespace}, or was killed`,
    { hint: `Choose another name. If it was killed, clean up with: ${deletionLine(cluster, name)}` },
  )
}

/**
 * Reports a run in the cluster after it has ended, and changes nothing there. Throws a BreakwaterError (environment) if
 * the run does not exist or its data is gone.
 */
export async function gatherRun(
  cluster: Cluster,
  options: { name: string; io: Io; out: string | null; json: boolean; startSeconds: number },
): Promise<{ folder: { dir: string; shown: string }; exitCode: ExitCode }> {
  const { name, io, out, json, startSeconds } = options
  const testRun = await cluster.get('TestRun', name)
  if (testRun === null) {
    throw new BreakwaterError(`no TestRun ${name} in namespace ${cluster.namespace}`, {
      hint: `\`kubectl get testruns -n ${cluster.namespace}\` lists the existing ones; --namespace selects another namespace. To clean up a run of that name that never started: \`${deletionLine(cluster, name)}\`.`,
      exitCode: EXIT.environment,
    })
  }
  const record = readRunRecord(testRun.metadata.annotations, name)
  if (record.results.kind === 'here') {
    throw new BreakwaterError(
      `TestRun ${name}: its runners push to ${record.results.host}, not into the cluster`,
      {
        hint: 'The command that made the run collected the measurements: see its run folder.',
        exitCode: EXIT.environment,
      },
    )
  }
  const token = await readToken(cluster, name)
  const now = new Date()
  const startedAt = new Date(record.startedAt ?? testRun.metadata.creationTimestamp ?? now)
  return withClusterFolder(record, { out, io, now, startedAt }, async (folder) => {
    await superviseRun({
      cluster,
      name,
      record,
      folder,
      io,
      startSeconds,
      request: collectorInPod(cluster, { name, token }),
      target: null,
      endsLoad: false,
    })
    return { folder, exitCode: await printReport({ folder, json, io }) }
  })
}

async function readToken(cluster: Cluster, name: string): Promise<string> {
  const secret = await cluster.get<KubeObject & { data?: Record<string, string> }>('Secret', name)
  const token = secret?.data?.token
  if (token !== undefined) return Buffer.from(token, 'base64').toString()
  throw new BreakwaterError(`no Secret ${name} with a token in namespace ${cluster.namespace}`, {
    hint: 'It belongs to the run and was deleted, so the measurements can no longer be collected.',
    exitCode: EXIT.environment,
  })
}

type FolderOptions = { out: string | null; io: Io; now: Date; startedAt: Date }

/**
 * Creates and passes on the run folder. If the work throws early, run.json records a failure. Throws like
 * `openRunFolder` and the work.
 */
async function withClusterFolder<Result>(
  record: RunRecord,
  options: FolderOptions,
  use: (folder: RunFolder) => Promise<Result>,
): Promise<Result> {
  const folder = await openClusterFolder(record, options)
  try {
    return await use(folder)
  } catch (error) {
    await folder.breakOff(error)
    throw error
  }
}

function openClusterFolder(record: RunRecord, options: FolderOptions): Promise<RunFolder> {
  const { seed, strict, command, mix, arrivals, load, slo, versions } = record
  return createRunFolder(
    { job: 'load', ...options },
    {
      target: { ...record.target, control: false },
      world: null,
      seed,
      choices: null,
      mutant: null,
      strict,
      minJudged: null,
      sloSkipped: null,
      versions: { ...versions, k6: 'unknown' },
      command,
      rules: [],
      customRules: {},
      waivers: [],
      repro: null,
      mix,
      arrivals,
      load,
      machine: runnersText(record),
      instances: record.parallelism,
      search: null,
      slo,
    },
  )
}

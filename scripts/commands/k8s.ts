import { randomBytes } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { parseAllDocuments, stringify } from 'yaml'
import { BreakwaterError, EXIT, type ExitCode } from '../../contract/breakwater-error.ts'
import { type Io, orInterrupted } from '../io.ts'
import { openCluster, requireRights } from '../k8s/api/open-cluster.ts'
import { listCollectRights, listRunRights } from '../k8s/api/rights.ts'
import { buildManifests } from '../k8s/manifests/build-manifests.ts'
import { buildCollectorUrl, manifestFiles } from '../k8s/manifests/manifest-parts.ts'
import {
  type ClusterLoadPlan,
  type ClusterOptions,
  nameAt,
  planClusterLoad,
} from '../k8s/plan-cluster-load.ts'
import { planStub, type StubInClusterOptions } from '../k8s/plan-stub.ts'
import { cleanUp } from '../k8s/run/clean-up.ts'
import { gatherRun, runClusterLoad, TOKEN_BYTES } from '../k8s/run/run-cluster-load.ts'
import { buildRunRecord, runnersText } from '../k8s/run-record.ts'
import { buildStubObjects, buildStubProfile } from '../k8s/stub-objects.ts'
import { announceLoad, tooShort } from '../load/announce-load.ts'
import { step } from '../progress/detail.ts'
import { mustBeFolder } from '../run-history/find-baseline.ts'
import { openGiven } from '../run-history/run-records.ts'
import { printBaselineComparison } from '../runs/print-comparison.ts'
import { requireFreeOutput } from '../runs/run-folder.ts'
import type { BaselineOptions } from '../runs/with-run.ts'
import { writeProfile } from '../stub/write-profile.ts'
import { documentText, shellLine } from '../terminal-text.ts'

export type ClusterRunOptions = Omit<ClusterOptions, 'name'> &
  BaselineOptions & {
    name?: string
    /** Default: true. */
    cleanup?: boolean
  }

/**
 * Throws a BreakwaterError: usage for a bad option or file, environment if the cluster, the operator or the target fails before
 * anything is measured.
 */
export async function runK8sRun(options: ClusterRunOptions): Promise<ExitCode> {
  const { io, name = nameAt('load', new Date()), cleanup = true, baseline, allowSingleRun } = options
  const plan = await orInterrupted(io.interrupted, planClusterLoad({ ...options, name }))
  await mustBeFolder(baseline, io)
  const history = await openGiven(options.history, io)
  if (plan.out !== null) await requireFreeOutput(plan.out, io.cwd)
  const cluster = await step(io, 'cluster', () =>
    openCluster({ env: io.env, namespace: plan.cluster.namespace, signal: io.interrupted }),
  )
  try {
    await requireRights(cluster, listRunRights({ hasResultsPod: plan.cluster.results.kind !== 'here' }))
    for (const line of announcement(plan, cluster.namespace)) io.log(line)
    const { folder, exitCode } = await runClusterLoad(plan, { cluster, io, keep: !cleanup, history })
    return await printBaselineComparison({ baseline, allowSingleRun, folder, exitCode, json: plan.json, io })
  } finally {
    await cluster.close()
  }
}

function announcement(plan: ClusterLoadPlan, namespace: string): string[] {
  const { rate, seconds } = plan.constantLoad
  return [
    ...announceLoad(plan, `${rate} iterations per second for ${seconds} s`),
    `  from ${runnersText(plan.cluster)} in namespace ${namespace}: TestRun ${plan.cluster.name}`,
    ...tooShort({ ...plan, rate, seconds }).map((warning) => `  ${warning}`),
  ]
}

const NAME = 'breakwater'

/** Sends no request to the cluster or the target. Throws a BreakwaterError (usage) for a bad option or file. */
export async function runK8sRender(
  options: Omit<ClusterOptions, 'name'> & { name?: string },
): Promise<ExitCode> {
  const { io, name = NAME, json } = options
  if (options.results.kind === 'here') {
    throw new BreakwaterError('--results here: this command exits before there are results to store', {
      hint: 'Use a pod (--results pod) or a volume (--results claim=NAME). Only `k8s run` can store results here.',
    })
  }
  const plan = await planClusterLoad({ ...options, name })
  const { cluster, constantLoad } = plan
  const objects = buildManifests(plan, {
    ...(await manifestFiles(plan, io.env)),
    collectorUrl: buildCollectorUrl(cluster),
    token: randomBytes(TOKEN_BYTES).toString('base64url'),
    namespace: cluster.namespace,
    runRecord: buildRunRecord(plan, { startedAt: null }),
  })
  for (const line of [
    `TestRun ${name}: ${constantLoad.rate} iterations per second for ${constantLoad.seconds} s from ${cluster.parallelism} runners`,
    '  the Secret contains wallets and tokens: keep the output private',
    ...tooShort({ ...plan, ...constantLoad }).map((warning) => `  ${warning}`),
  ])
    io.log(line)
  io.document(objectsText(objects, { json }))
  return EXIT.ok
}

export type ClusterCollectOptions = {
  io: Io
  /** Name of the TestRun. */
  name: string
  namespace?: string
  delete?: true
  output?: string
  json?: true
  startTimeout: number
}

/** Throws a BreakwaterError (environment) if the run does not exist or its measurements are lost. */
export async function runK8sCollect(options: ClusterCollectOptions): Promise<ExitCode> {
  const { io, name, namespace = null, output = null, json = false, startTimeout } = options
  const cluster = await step(io, 'cluster', () =>
    openCluster({ env: io.env, namespace, signal: io.interrupted }),
  )
  try {
    await requireRights(cluster, listCollectRights({ deletes: options.delete === true }))
    const { exitCode } = await gatherRun(cluster, { name, io, out: output, json, startSeconds: startTimeout })
    if (options.delete === true && !io.interrupted.aborted)
      await step(io, 'deleting the run in the cluster', () => cleanUp(cluster, name))
    return exitCode
  } finally {
    await cluster.close()
  }
}

export type K8sStubOptions = StubInClusterOptions & {
  /** File for the profile with the address in the cluster. */
  profile?: string
  json?: true
}

/** Throws a BreakwaterError (usage) for a bad option or file, and if the profile cannot be written. */
export async function runK8sStub(options: K8sStubOptions): Promise<ExitCode> {
  const { io, profile: file, json } = options
  const { plan, stub } = await planStub(options)
  const objects = buildStubObjects(plan)
  if (file !== undefined) {
    const profile = buildStubProfile(plan, stub.profile)
    await writeProfile({ profile, wallets: stub.wallets }, { file, cwd: io.cwd })
    const { env } = profile.credentials.apiTokens
    const load = shellLine(['--target', file, '--confirm', new URL(profile.baseUrl).hostname])
    io.log(`to load it: ${env}=${stub.apiTokens.join(',')} breakwater k8s run ${load} --image …`)
  }
  io.document(objectsText(objects, { json }))
  return EXIT.ok
}

function objectsText(objects: readonly object[], { json = false }: { json?: boolean | undefined }): string {
  return json ? JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects }) : toYaml(objects).trimEnd()
}

/**
 * Writes one YAML stream for `kubectl apply -f -`. Kubernetes reads YAML 1.1, in which unquoted `on`, `12:30` and `1_000` are not
 * strings. If a string would not survive, such as one of only blanks or with control characters, all strings are in double quotes, in
 * which the escapes that Breakwater prints for control characters mean the same string.
 */
export function toYaml(objects: readonly object[]): string {
  const text = yamlStream(objects, {})
  return survivesParsing(text, objects) ? text : yamlStream(objects, QUOTED)
}

function survivesParsing(text: string, objects: readonly object[]): boolean {
  const read = parseAllDocuments(documentText(text), { version: '1.1' }).map((document) => document.toJS())
  return isDeepStrictEqual(read, JSON.parse(JSON.stringify(objects)))
}

const QUOTED = {
  defaultStringType: 'QUOTE_DOUBLE',
  doubleQuotedMinMultiLineLength: Number.POSITIVE_INFINITY,
} as const

function yamlStream(objects: readonly object[], quoting: Partial<typeof QUOTED>): string {
  return objects
    .map((object) =>
      stringify(object, { version: '1.1', aliasDuplicateObjects: false, lineWidth: 0, ...quoting }),
    )
    .join('---\n')
}

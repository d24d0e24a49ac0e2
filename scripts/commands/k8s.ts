/** `breakwater k8s run`: a load that pods of a cluster make together, gathered, judged on the whole, and cleared away. */

import { randomBytes } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { parseAllDocuments, stringify } from 'yaml'
import { BreakwaterError, EXIT, type ExitCode } from '../../contract/breakwater-error.ts'
import { type Io, orInterrupted } from '../io.ts'
import { type Cluster, openCluster } from '../k8s/api/open-cluster.ts'
import { type Right, rightHint, rightsOfGather, rightsOfRun } from '../k8s/api/rights.ts'
import { collectorUrlOf, manifestFiles } from '../k8s/manifests/manifest-parts.ts'
import { manifestsOf } from '../k8s/manifests/manifests-of.ts'
import { type ClusterLoadPlan, type ClusterOptions, planClusterLoad } from '../k8s/plan-cluster-load.ts'
import { planStub, type StubInClusterOptions } from '../k8s/plan-stub.ts'
import { cleanUp } from '../k8s/run/clean-up.ts'
import { gatherRun, runClusterLoad, runnersText } from '../k8s/run/run-cluster-load.ts'
import { recordOfPlan } from '../k8s/run-record.ts'
import { stubObjectsOf, stubProfileOf } from '../k8s/stub-objects.ts'
import { announceLoad, tooShort } from '../load/announce-load.ts'
import { mustBeFolder } from '../past-runs/find-baseline.ts'
import { step } from '../progress/detail.ts'
import { tellBaseline } from '../runs/tell-comparison.ts'
import type { BaselineOptions } from '../runs/with-run.ts'
import { writeProfile } from '../stub/write-profile.ts'
import { documentText, shellLine } from '../terminal-text.ts'

export type ClusterRunOptions = Omit<ClusterOptions, 'name'> &
  BaselineOptions & {
    name?: string
    /** Leaves in the cluster what was made there. */
    keep?: true
  }

/**
 * Throws a BreakwaterError: usage for a bad option or file, environment where cluster, operator or target do not do their part
 * before anything is measured.
 */
export async function runK8sRun(options: ClusterRunOptions): Promise<ExitCode> {
  const { io, name = nameAt(new Date()), keep = false, baseline, single } = options
  const plan = await orInterrupted(io.interrupted, planClusterLoad({ ...options, name }))
  await mustBeFolder(baseline, io)
  const cluster = await step(io, 'cluster', () =>
    openCluster({ env: io.env, namespace: plan.cluster.namespace, signal: io.interrupted }),
  )
  try {
    await requireRights(cluster, rightsOfRun({ hasResultsPod: plan.cluster.results.kind !== 'here' }))
    for (const line of announcement(plan, cluster.namespace)) io.tell(line)
    const { folder, exitCode } = await runClusterLoad(plan, { cluster, io, keep })
    return await tellBaseline({ baseline, single, folder, exitCode, json: plan.json, io })
  } finally {
    await cluster.close()
  }
}

/** A name that no other run has: by the second. */
function nameAt(now: Date): string {
  return `load-${now.toISOString().slice(0, 19).replace(/[-:]/g, '').toLowerCase()}`
}

function announcement(plan: ClusterLoadPlan, namespace: string): string[] {
  const { rate, seconds } = plan.heldLoad
  return [
    ...announceLoad(plan, `${rate} iterations a second for ${seconds} s`),
    `  by ${runnersText(plan.cluster)} in namespace ${namespace}: TestRun ${plan.cluster.name}`,
    ...tooShort({ ...plan, rate, seconds }).map((warning) => `  ${warning}`),
  ]
}

/** `breakwater k8s render`: the objects of a load in a cluster, for whatever applies them. */
const NAME = 'breakwater'
const TOKEN_BYTES = 32

/** Prints them; asks neither the cluster nor the target. Throws a BreakwaterError (usage) for a bad option or file. */
export async function runK8sRender(
  options: Omit<ClusterOptions, 'name'> & { name?: string },
): Promise<ExitCode> {
  const { io, name = NAME, json } = options
  if (options.results.kind === 'here') {
    throw new BreakwaterError('--results here: this command ends before there is anything to keep', {
      hint: 'Leave it to a pod (--results pod) or a volume (--results claim=NAME); `k8s run` can keep it here.',
    })
  }
  const plan = await planClusterLoad({ ...options, name })
  const { cluster, heldLoad } = plan
  const objects = manifestsOf(plan, {
    ...(await manifestFiles(plan, io.env)),
    collectorUrl: collectorUrlOf(cluster),
    token: randomBytes(TOKEN_BYTES).toString('base64url'),
    namespace: cluster.namespace,
    runRecord: recordOfPlan(plan, { startedAt: null }),
  })
  for (const line of [
    `TestRun ${name}: ${heldLoad.rate} iterations a second for ${heldLoad.seconds} s by ${cluster.parallelism} runners`,
    '  the Secret holds wallets and tokens: keep it from others',
    ...tooShort({ ...plan, ...heldLoad }).map((warning) => `  ${warning}`),
  ])
    io.tell(line)
  io.document(objectsText(objects, { json }))
  return EXIT.ok
}

/** `breakwater k8s gather`: the report of a run in a cluster whose command is gone, or that was applied as it was rendered. */
export type ClusterGatherOptions = {
  io: Io
  /** Of the TestRun. */
  name: string
  namespace?: string
  /** Deletes in the cluster what was gathered. */
  delete?: true
  out?: string
  json?: true
  startTimeout: number
}

/** Throws a BreakwaterError (environment) where there is no such run, or nothing of it is to be had any more. */
export async function runK8sGather(options: ClusterGatherOptions): Promise<ExitCode> {
  const { io, name, namespace = null, out = null, json = false, startTimeout } = options
  const cluster = await step(io, 'cluster', () =>
    openCluster({ env: io.env, namespace, signal: io.interrupted }),
  )
  try {
    await requireRights(cluster, rightsOfGather({ deletes: options.delete === true }))
    const { exitCode } = await gatherRun(cluster, { name, io, out, json, startSeconds: startTimeout })
    if (options.delete === true && !io.interrupted.aborted)
      await step(io, 'deleting it in the cluster', () => cleanUp(cluster, name))
    return exitCode
  } finally {
    await cluster.close()
  }
}

/** `breakwater k8s stub`: the objects of a stub exchange in a cluster, printed. */
export type K8sStubOptions = StubInClusterOptions & {
  /** A file for its profile, for those who reach it in the cluster. */
  profile?: string
  json?: true
}

/** Throws a BreakwaterError (usage) for a bad option or file, and where the profile cannot be written. */
export async function runK8sStub(options: K8sStubOptions): Promise<ExitCode> {
  const { io, profile: file, json } = options
  const { plan, stub } = await planStub(options)
  const objects = stubObjectsOf(plan)
  if (file !== undefined) {
    const profile = stubProfileOf(plan, stub.profile)
    await writeProfile({ profile, wallets: stub.wallets }, { file, cwd: io.cwd })
    const { env } = profile.credentials.apiTokens
    const load = shellLine(['--target', file, '--confirm', new URL(profile.baseUrl).hostname])
    io.tell(`a load of it: ${env}=${stub.apiTokens.join(',')} breakwater k8s run ${load} --image …`)
  }
  io.document(objectsText(objects, { json }))
  return EXIT.ok
}

/**
 * Makes sure that the user may do all that a command is going to do, before it does any of it: a load whose results may not be taken
 * would be made in vain. Throws a BreakwaterError (environment) that names what is missing.
 */
export async function requireRights(
  cluster: Pick<Cluster, 'may' | 'namespace'>,
  rights: readonly Right[],
): Promise<void> {
  const answers = await Promise.all(rights.map(async (right) => ({ right, may: await cluster.may(right) })))
  const missing = answers.filter(({ may }) => !may).map(({ right }) => right)
  const [first] = missing
  if (first === undefined) return
  throw new BreakwaterError(
    `namespace ${cluster.namespace}: the cluster does not let you ${missing.map(({ verb, resource }) => `${verb} ${resource}`).join(', ')}`,
    { hint: rightHint({ ...first, namespace: cluster.namespace }), exitCode: EXIT.environment },
  )
}

/** Objects as a command prints them, for `kubectl apply -f -`: as YAML, or as one List in JSON. */
function objectsText(objects: readonly object[], { json = false }: { json?: boolean | undefined }): string {
  return json ? JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects }) : yamlOf(objects).trimEnd()
}

/**
 * Objects as one YAML stream, in their order, for `kubectl apply -f -`. By YAML 1.1, which Kubernetes reads: there `on`, `12:30` and `1_000`
 * are no texts unless they are quoted. If a text would not be read back as it is, such as one of blanks alone or one with what a
 * terminal may not show, all are in double quotes, in which the escapes of the terminal mean the same text.
 */
export function yamlOf(objects: readonly object[]): string {
  const text = streamOf(objects, {})
  return isReadBack(text, objects) ? text : streamOf(objects, QUOTED)
}

function isReadBack(text: string, objects: readonly object[]): boolean {
  const read = parseAllDocuments(documentText(text), { version: '1.1' }).map((document) => document.toJS())
  return isDeepStrictEqual(read, JSON.parse(JSON.stringify(objects)))
}

const QUOTED = {
  defaultStringType: 'QUOTE_DOUBLE',
  doubleQuotedMinMultiLineLength: Number.POSITIVE_INFINITY,
} as const

function streamOf(objects: readonly object[], quoting: Partial<typeof QUOTED>): string {
  return objects
    .map((object) =>
      stringify(object, { version: '1.1', aliasDuplicateObjects: false, lineWidth: 0, ...quoting }),
    )
    .join('---\n')
}

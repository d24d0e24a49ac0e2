import { readFile } from 'node:fs/promises'
import { isIP } from 'node:net'
import { BreakwaterError } from '../../../contract/breakwater-error.ts'
import { outSettings } from '../../k6/k6-args.ts'
import { projectPath } from '../../project.ts'
import type { KubeObject } from '../api/kube-object.ts'
import type { ClusterChoices, ClusterPlan } from '../plan-cluster-load.ts'
import type { RunRecord } from '../run-record.ts'

export type ManifestParts = {
  /** Where runners push measurements: `http://HOST:8090`; null: they write to a volume. */
  collectorUrl: string | null
  /** Authenticates runners and `k8s collect` to the collector. */
  token: string
  namespace: string | null
  /** Null: the run cannot be collected by another command. */
  runRecord: RunRecord | null
  /** The bundled script; null: in the image. */
  script: string | null
  /** The target's certificates, as PEM; null: none of its own. */
  ca: string | null
  /** Environment of k6's further outputs. As secret as passwords. */
  settings: Readonly<Record<string, string>>
  ownerUid?: string
}

export type Component = 'run' | 'runner' | 'starter' | 'results'

export const TEST_RUN = { apiVersion: 'k6.io/v1alpha1', kind: 'TestRun' } as const

export const COMPONENT_LABEL = 'app.kubernetes.io/component'

/** The first two labels select everything of the run. */
export function buildLabels(run: string, component: Component): Record<string, string> {
  return {
    'app.kubernetes.io/name': 'breakwater',
    'app.kubernetes.io/instance': run,
    [COMPONENT_LABEL]: component,
    'app.kubernetes.io/managed-by': 'breakwater',
  }
}

/** Metadata of the other objects, which the TestRun owns once it exists. */
export function buildMetadata(
  run: string,
  component: Component,
  { namespace, ownerUid }: Pick<ManifestParts, 'namespace' | 'ownerUid'>,
): KubeObject['metadata'] {
  return {
    name: component === 'results' ? resultsName(run) : run,
    ...(namespace !== null && { namespace }),
    labels: buildLabels(run, component),
    ...(ownerUid !== undefined && {
      ownerReferences: [{ ...TEST_RUN, name: run, uid: ownerUid }],
    }),
  }
}

export function resultsName(run: string): string {
  return `${run}-results`
}

export const SECRET_FOLDER = '/etc/breakwater'
export const CONFIG_FILE = `${SECRET_FOLDER}/config.json`
export const TOKEN_FILE = `${SECRET_FOLDER}/token`
export const CA_FILE = `${SECRET_FOLDER}/ca.pem`
export const RESULTS_FOLDER = '/results'

export const SCRIPT_NAME = 'load.k6.js'
export const SCRIPT_OF_IMAGE = `/opt/breakwater/dist/${SCRIPT_NAME}`

export const COLLECTOR_PORT = 8090
/** k6's REST API; the operator sets the port. */
export const K6_PORT = 6565

/** Each runner's name, `NAME-1`; the kubelet substitutes it in the TestRun's arguments. */
export const RUNNER_VARIABLE = 'RUNNER'

/** The image's user, by number, so that the cluster can verify that it is not root. */
const USER = 1000

export const POD_SECURITY = {
  runAsNonRoot: true,
  runAsUser: USER,
  runAsGroup: USER,
  fsGroup: USER,
  fsGroupChangePolicy: 'OnRootMismatch',
  seccompProfile: { type: 'RuntimeDefault' },
}

export const CONTAINER_SECURITY = {
  allowPrivilegeEscalation: false,
  capabilities: { drop: ['ALL'] },
  readOnlyRootFilesystem: true,
}

/** Makes the volume of a Secret readable only by the pod's group. */
export const SECRET_MODE = 0o440

const MIB = 2 ** 20

/** Requests equal limits, so that neighbors do not affect a pod's capacity. */
export function buildResources({ cpu, memoryBytes }: { cpu: number; memoryBytes: number }) {
  const memory = memoryBytes % MIB === 0 ? `${memoryBytes / MIB}Mi` : String(memoryBytes)
  const amounts = { cpu: Number.isInteger(cpu) ? String(cpu) : `${Math.round(cpu * 1000)}m`, memory }
  return { requests: amounts, limits: amounts }
}

export function pulling({ imagePullSecret }: { imagePullSecret: string | null }) {
  return imagePullSecret === null ? {} : { imagePullSecrets: [{ name: imagePullSecret }] }
}

/**
 * Where runners push measurements: the Service's name, which requires cluster DNS, or an address of this machine. Null:
 * they write to a volume.
 */
export function buildCollectorUrl({
  name,
  results,
}: Pick<ClusterChoices, 'name' | 'results'>): string | null {
  if (results.kind === 'claim') return null
  if (results.kind === 'pod') return `http://${resultsName(name)}:${COLLECTOR_PORT}`
  const { host, port } = results
  return `http://${isIP(host) === 6 ? `[${host}]` : host}:${port}`
}

const BYTES_MAX = 2 ** 20

export function requireRoom(values: Readonly<Record<string, string>>, kind: string, hint: string): void {
  const bytes = Object.values(values).reduce((sum, text) => sum + Buffer.byteLength(text), 0)
  if (bytes <= BYTES_MAX) return
  throw new BreakwaterError(
    `the ${kind} of the run would have ${bytes} bytes, but a ${kind} holds ${BYTES_MAX}`,
    {
      hint,
    },
  )
}

export async function manifestFiles(
  { target, k6Outs, cluster }: ClusterPlan,
  env: NodeJS.ProcessEnv,
): Promise<Pick<ManifestParts, 'script' | 'ca' | 'settings'>> {
  const { ca } = target.profile
  return {
    script: cluster.script === 'image' ? null : await readFile(projectPath('dist/load.k6.js'), 'utf8'),
    ca: ca === null ? null : await readFile(ca, 'utf8'),
    settings: readSettings(outSettings(k6Outs), env),
  }
}

function readSettings(prefixes: readonly string[], env: NodeJS.ProcessEnv): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) =>
      value !== undefined && prefixes.some((prefix) => name.startsWith(prefix)) ? [[name, value]] : [],
    ),
  )
}

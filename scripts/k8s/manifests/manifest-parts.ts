import { readFile } from 'node:fs/promises'
import { isIP } from 'node:net'
import { BreakwaterError } from '../../../contract/breakwater-error.ts'
import { outSettings } from '../../k6/k6-args.ts'
import { projectPath } from '../../project.ts'
import type { KubeObject } from '../api/kube-object.ts'
import type { ClusterChoices, ClusterLoadPlan } from '../plan-cluster-load.ts'
import type { RunRecord } from '../run-record.ts'

/** What goes into the objects of a run beside its plan. */
export type ManifestParts = {
  /** Where runners push what they measure: `http://HOST:8090`; null where they write to a volume. */
  collectorUrl: string | null
  /** By which the collector knows them, and who gathers. */
  token: string
  /** Null: none is named, and whoever applies them chooses. */
  namespace: string | null
  runRecord: RunRecord
  /** The bundled script; null where the image has it. */
  script: string | null
  /** The target's certificates, as PEM; null: none of its own. */
  ca: string | null
  /** Settings of further outputs of k6, by their names in the environment: as secret as passwords. */
  settings: Readonly<Record<string, string>>
  /** The id of the TestRun once it is there: with it goes all the rest. */
  ownerUid?: string
}

/** The part of a run that an object, or a pod, is of. */
export type Component = 'run' | 'runner' | 'starter' | 'results'

export const TEST_RUN = { apiVersion: 'k6.io/v1alpha1', kind: 'TestRun' } as const

/** Labels of an object or a pod of the run. By the first two all of them can be found. */
export function labelsOf(run: string, component: Component): Record<string, string> {
  return {
    'app.kubernetes.io/name': 'breakwater',
    'app.kubernetes.io/instance': run,
    'app.kubernetes.io/component': component,
    'app.kubernetes.io/managed-by': 'breakwater',
  }
}

/** Metadata of an object beside the TestRun: it belongs to that, once that is there. */
export function metadataOf(
  run: string,
  component: Component,
  { namespace, ownerUid }: Pick<ManifestParts, 'namespace' | 'ownerUid'>,
): KubeObject['metadata'] {
  return {
    name: component === 'results' ? resultsName(run) : run,
    ...(namespace !== null && { namespace }),
    labels: labelsOf(run, component),
    ...(ownerUid !== undefined && {
      ownerReferences: [{ ...TEST_RUN, name: run, uid: ownerUid }],
    }),
  }
}

/** Of the pod that keeps what is measured, and of its Service. */
export function resultsName(run: string): string {
  return `${run}-results`
}

/** Where things are in the pods of a run. */
export const SECRET_FOLDER = '/etc/breakwater'
export const CONFIG_FILE = `${SECRET_FOLDER}/config.json`
export const TOKEN_FILE = `${SECRET_FOLDER}/token`
export const CA_FILE = `${SECRET_FOLDER}/ca.pem`
export const RESULTS_FOLDER = '/results'

/** Of the ConfigMap, and of the image's own: the script by its name there. */
export const SCRIPT_NAME = 'load.k6.js'
export const SCRIPT_OF_IMAGE = `/opt/breakwater/dist/${SCRIPT_NAME}`

export const COLLECTOR_PORT = 8090
/** Of k6's REST API: the operator says so. */
export const K6_PORT = 6565

/** Each runner's own name, `NAME-1`, as arguments of the TestRun spell it: put in by the kubelet. */
export const RUNNER_VARIABLE = 'RUNNER'

/** What all pods of a run have in common: they pass the restricted standard of pod security. */

/** The user of the image, by number, so that the cluster sees that it is not root. */
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

/** Of a volume of a Secret: the pod's group alone reads it. */
export const SECRET_MODE = 0o440

const MIB = 2 ** 20

/** Requested, and no more allowed: what a pod can do does not hang on its neighbors. */
export function resourcesOf({ cpu, memoryBytes }: { cpu: number; memoryBytes: number }) {
  const memory = memoryBytes % MIB === 0 ? `${memoryBytes / MIB}Mi` : String(memoryBytes)
  const amounts = { cpu: Number.isInteger(cpu) ? String(cpu) : `${Math.round(cpu * 1000)}m`, memory }
  return { requests: amounts, limits: amounts }
}

/** How a pod's images are had. */
export function pulling({ imagePullSecret }: { imagePullSecret: string | null }) {
  return imagePullSecret === null ? {} : { imagePullSecrets: [{ name: imagePullSecret }] }
}

/**
 * Where runners push what they measure: by the name of the Service, which takes DNS in the cluster, or at the address of this
 * machine. Null: they write to a volume.
 */
export function collectorUrlOf({ name, results }: Pick<ClusterChoices, 'name' | 'results'>): string | null {
  if (results.kind === 'claim') return null
  if (results.kind === 'pod') return `http://${resultsName(name)}:${COLLECTOR_PORT}`
  const { host, port } = results
  return `http://${isIP(host) === 6 ? `[${host}]` : host}:${port}`
}

/** The API server takes no more. */
const BYTES_MAX = 2 ** 20

/** Throws a BreakwaterError (usage) where the values are more than a Secret or a ConfigMap holds. */
export function requireRoom(values: Readonly<Record<string, string>>, kind: string, hint: string): void {
  const bytes = Object.values(values).reduce((sum, text) => sum + Buffer.byteLength(text), 0)
  if (bytes <= BYTES_MAX) return
  throw new BreakwaterError(
    `the ${kind} of the run would have ${bytes} bytes: a ${kind} holds ${BYTES_MAX}`,
    {
      hint,
    },
  )
}

/** What the objects of a run take from this machine: the script in one piece, certificates, and settings of outputs. */
export async function manifestFiles(
  { target, k6Outs, cluster }: ClusterLoadPlan,
  env: NodeJS.ProcessEnv,
): Promise<Pick<ManifestParts, 'script' | 'ca' | 'settings'>> {
  const { ca } = target.profile
  return {
    script: cluster.script === 'image' ? null : await readFile(projectPath('dist/load.k6.js'), 'utf8'),
    ca: ca === null ? null : await readFile(ca, 'utf8'),
    settings: settingsOf(outSettings(k6Outs), env),
  }
}

function settingsOf(prefixes: readonly string[], env: NodeJS.ProcessEnv): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) =>
      value !== undefined && prefixes.some((prefix) => name.startsWith(prefix)) ? [[name, value]] : [],
    ),
  )
}

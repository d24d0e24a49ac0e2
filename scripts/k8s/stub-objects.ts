/** The objects of a stub in a cluster, in the order in which they are applied. */

import { createHash } from 'node:crypto'
import { hostInUrl } from '../../contract/addresses.ts'
import { BreakwaterError } from '../../contract/breakwater-error.ts'
import type { Profile } from '../../contract/profile.ts'
import { CONTROL_TOKEN_ENV } from '../control-api.ts'
import type { KubeObject } from './api/kube-object.ts'
import {
  CONTAINER_SECURITY,
  POD_SECURITY,
  pulling,
  requireRoom,
  resourcesOf,
} from './manifests/manifest-parts.ts'
import { FAULTS_FILE, STUB_PORTS, type StubPlan, WORLD_FILE } from './plan-stub.ts'

const FILES_FOLDER = '/etc/breakwater'

/** One pod, never two: each would be an exchange of its own, with sessions of its own. */
function stubDeploymentOf(plan: StubPlan): KubeObject {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: stubMetadata(plan),
    spec: {
      replicas: 1,
      strategy: { type: 'Recreate' },
      selector: { matchLabels: stubSelector(plan) },
      template: {
        // Applied with other files, it starts anew.
        metadata: { labels: stubLabels(plan), annotations: { 'breakwater/files': hashOf(plan.files) } },
        spec: podOf(plan),
      },
    },
  }
}

function podOf(plan: StubPlan) {
  const hasFiles = Object.keys(plan.files).length > 0
  return {
    automountServiceAccountToken: false,
    enableServiceLinks: false,
    terminationGracePeriodSeconds: 10,
    ...pulling(plan),
    securityContext: POD_SECURITY,
    containers: [
      {
        name: 'stub',
        image: plan.image,
        imagePullPolicy: plan.imagePullPolicy,
        command: ['breakwater', 'stub', ...argumentsOf(plan)],
        env: [
          { name: 'HOME', value: '/tmp' },
          {
            name: CONTROL_TOKEN_ENV,
            valueFrom: { secretKeyRef: { name: plan.name, key: CONTROL_TOKEN_ENV } },
          },
        ],
        ports: [
          { name: 'rest', containerPort: STUB_PORTS.rest },
          { name: 'feed', containerPort: STUB_PORTS.feed },
        ],
        ...PROBES,
        resources: resourcesOf(plan),
        securityContext: CONTAINER_SECURITY,
        volumeMounts: [
          { name: 'tmp', mountPath: '/tmp' },
          ...(hasFiles ? [{ name: 'files', mountPath: FILES_FOLDER, readOnly: true }] : []),
        ],
      },
    ],
    volumes: [
      { name: 'tmp', emptyDir: {} },
      ...(hasFiles ? [{ name: 'files', configMap: { name: plan.name } }] : []),
    ],
  }
}

/** For load: nobody watches it, and no limit of its own is in the way. */
function argumentsOf({ world, seed, choices, mutant, serviceRate, files }: StubPlan): string[] {
  const { rest, feed, control } = STUB_PORTS
  return [
    ...['--host', '0.0.0.0', '--port', rest, '--feed-port', feed, '--control-port', control],
    ...['--no-observer', '--no-rate-limit', '--hide-tokens'],
    ...['--world', world === WORLD_FILE ? `${FILES_FOLDER}/${WORLD_FILE}` : world],
    ...['--seed', seed, '--choices', choices],
    ...(mutant === null ? [] : ['--mutant', mutant]),
    ...(serviceRate === null ? [] : ['--service-rate', serviceRate]),
    ...(files[FAULTS_FILE] === undefined ? [] : ['--faults', `${FILES_FOLDER}/${FAULTS_FILE}`]),
  ].map(String)
}

const at = (path: string) => ({ httpGet: { path, port: 'rest' } })

/**
 * A stub that is being loaded is slow to answer, which is what a load is to find out: it is neither taken from its Service nor
 * ended for that, but where it has said nothing for half a minute, or a minute.
 */
const PROBES = {
  startupProbe: { ...at('/ready'), periodSeconds: 1, failureThreshold: 180 },
  readinessProbe: { ...at('/ready'), periodSeconds: 5, timeoutSeconds: 5, failureThreshold: 6 },
  livenessProbe: { ...at('/health'), periodSeconds: 10, timeoutSeconds: 10, failureThreshold: 6 },
}

function hashOf(files: StubPlan['files']): string {
  return createHash('sha256').update(JSON.stringify(files)).digest('hex').slice(0, 16)
}

/** Throws a BreakwaterError (usage) where a world of one's own is more than a ConfigMap holds. */
export function stubObjectsOf(plan: StubPlan): KubeObject[] {
  return [
    secretOf(plan),
    ...(Object.keys(plan.files).length === 0 ? [] : [filesOf(plan)]),
    policyOf(plan),
    serviceOf(plan),
    stubDeploymentOf(plan),
  ]
}

function secretOf(plan: StubPlan): KubeObject {
  const token = Buffer.from(plan.controlToken).toString('base64')
  const metadata = stubMetadata(plan)
  return { apiVersion: 'v1', kind: 'Secret', metadata, type: 'Opaque', data: { [CONTROL_TOKEN_ENV]: token } }
}

function filesOf(plan: StubPlan): KubeObject {
  requireRoom(plan.files, 'ConfigMap', 'Take a world with fewer tokens, or build an image that has it.')
  const metadata = stubMetadata(plan)
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: plan.files }
}

/** Whoever reaches its pod may ask; it asks nobody itself. */
function policyOf(plan: StubPlan): KubeObject {
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: stubMetadata(plan),
    spec: {
      podSelector: { matchLabels: stubSelector(plan) },
      policyTypes: ['Ingress', 'Egress'],
      ingress: [{ ports: SERVED.map(([, port]) => ({ protocol: 'TCP', port })) }],
      egress: [],
    },
  }
}

function serviceOf(plan: StubPlan): KubeObject {
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: stubMetadata(plan),
    spec: {
      ...(plan.clusterIp !== null && { clusterIP: plan.clusterIp }),
      selector: stubSelector(plan),
      ports: SERVED.map(([name, port]) => ({ name, port, targetPort: name })),
    },
  }
}

const SERVED = [
  ['rest', STUB_PORTS.rest],
  ['feed', STUB_PORTS.feed],
] as const

/** By which its pod is selected. Those of a run in the cluster have another name: what is deleted with a run is none of these. */
function stubSelector({ name }: Pick<StubPlan, 'name'>): Record<string, string> {
  return { 'app.kubernetes.io/name': 'breakwater-stub', 'app.kubernetes.io/instance': name }
}

/** Of each object, and of the pod. */
function stubLabels(plan: Pick<StubPlan, 'name'>): Record<string, string> {
  return {
    ...stubSelector(plan),
    'app.kubernetes.io/component': 'stub',
    'app.kubernetes.io/managed-by': 'breakwater',
  }
}

/** Of each object of a stub. */
function stubMetadata(plan: Pick<StubPlan, 'name' | 'namespace'>): KubeObject['metadata'] {
  const { name, namespace } = plan
  return { name, ...(namespace !== null && { namespace }), labels: stubLabels(plan) }
}

/**
 * The profile of a stub for those who reach it in its cluster. Its control API is not among it, as that listens in its pod alone. Throws a
 * BreakwaterError (usage) where its address is not known.
 */
export function stubProfileOf(plan: StubPlan, profile: Profile): Profile {
  const host = hostOf(plan)
  const baseUrl = `http://${host}:${STUB_PORTS.rest}`
  return {
    ...profile,
    name: plan.name,
    baseUrl,
    wsUrl: `ws://${host}:${STUB_PORTS.feed}`,
    control: null,
    metrics: `${baseUrl}/metrics`,
  }
}

function hostOf({ name, namespace, clusterIp }: StubPlan): string {
  if (clusterIp !== null) return hostInUrl(clusterIp)
  if (namespace !== null) return `${name}.${namespace}.svc`
  throw new BreakwaterError('--profile: where the stub will be is not known', {
    hint: 'Name its --namespace, for its address by DNS, or a --cluster-ip for its Service, where the cluster has none.',
  })
}

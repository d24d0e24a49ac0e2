import { createHash } from 'node:crypto'
import { hostInUrl } from '../../contract/addresses.ts'
import { BreakwaterError } from '../../contract/breakwater-error.ts'
import type { Profile } from '../../contract/profile.ts'
import { CONTROL_TOKEN_ENV } from '../control-api.ts'
import type { KubeObject } from './api/kube-object.ts'
import {
  buildResources,
  CONTAINER_SECURITY,
  POD_SECURITY,
  pulling,
  requireRoom,
} from './manifests/manifest-parts.ts'
import { FAULTS_FILE, STUB_PORTS, type StubPlan, WORLD_FILE } from './plan-stub.ts'

const FILES_FOLDER = '/etc/breakwater'

/** One replica: each would be a separate exchange with its own sessions. */
function buildDeployment(plan: StubPlan): KubeObject {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: stubMetadata(plan),
    spec: {
      replicas: 1,
      strategy: { type: 'Recreate' },
      selector: { matchLabels: stubSelector(plan) },
      template: {
        // Restarts the pod when its files change.
        metadata: { labels: stubLabels(plan), annotations: { 'breakwater/files': hashFiles(plan.files) } },
        spec: buildPod(plan),
      },
    },
  }
}

function buildPod(plan: StubPlan) {
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
        command: ['breakwater', 'stub', ...buildArguments(plan)],
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
        resources: buildResources(plan),
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

function buildArguments({ world, seed, choices, mutant, serviceRate, files }: StubPlan): string[] {
  const { rest, feed, control } = STUB_PORTS
  return [
    ...['--host', '0.0.0.0', '--port', rest, '--feed-port', feed, '--control-port', control],
    ...['--no-observer', '--no-rate-limit'],
    ...['--world', world === WORLD_FILE ? `${FILES_FOLDER}/${WORLD_FILE}` : world],
    ...['--seed', seed, '--choices', choices],
    ...(mutant === null ? [] : ['--mutant', mutant]),
    ...(serviceRate === null ? [] : ['--service-rate', serviceRate]),
    ...(files[FAULTS_FILE] === undefined ? [] : ['--faults', `${FILES_FOLDER}/${FAULTS_FILE}`]),
  ].map(String)
}

const at = (path: string) => ({ httpGet: { path, port: 'rest' } })

/**
 * A loaded stub is slow, which a load must be able to measure: probes remove it from the Service only after 30 s
 * without a response, and restart it after a minute.
 */
const PROBES = {
  startupProbe: { ...at('/ready'), periodSeconds: 1, failureThreshold: 180 },
  readinessProbe: { ...at('/ready'), periodSeconds: 5, timeoutSeconds: 5, failureThreshold: 6 },
  livenessProbe: { ...at('/health'), periodSeconds: 10, timeoutSeconds: 10, failureThreshold: 6 },
}

function hashFiles(files: StubPlan['files']): string {
  return createHash('sha256').update(JSON.stringify(files)).digest('hex').slice(0, 16)
}

export function buildStubObjects(plan: StubPlan): KubeObject[] {
  return [
    buildSecret(plan),
    ...(Object.keys(plan.files).length === 0 ? [] : [buildConfigMap(plan)]),
    buildPolicy(plan),
    buildService(plan),
    buildDeployment(plan),
  ]
}

function buildSecret(plan: StubPlan): KubeObject {
  const token = Buffer.from(plan.controlToken).toString('base64')
  const metadata = stubMetadata(plan)
  return { apiVersion: 'v1', kind: 'Secret', metadata, type: 'Opaque', data: { [CONTROL_TOKEN_ENV]: token } }
}

function buildConfigMap(plan: StubPlan): KubeObject {
  requireRoom(plan.files, 'ConfigMap', 'Use a world with fewer tokens, or build an image that contains it.')
  const metadata = stubMetadata(plan)
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: plan.files }
}

/** Ingress is open; the pod needs no egress. */
function buildPolicy(plan: StubPlan): KubeObject {
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

function buildService(plan: StubPlan): KubeObject {
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

/** Selects the stub's pod. The name label differs from a run's, so deleting a run never matches a stub. */
function stubSelector({ name }: Pick<StubPlan, 'name'>): Record<string, string> {
  return { 'app.kubernetes.io/name': 'breakwater-stub', 'app.kubernetes.io/instance': name }
}

function stubLabels(plan: Pick<StubPlan, 'name'>): Record<string, string> {
  return {
    ...stubSelector(plan),
    'app.kubernetes.io/component': 'stub',
    'app.kubernetes.io/managed-by': 'breakwater',
  }
}

function stubMetadata(plan: Pick<StubPlan, 'name' | 'namespace'>): KubeObject['metadata'] {
  const { name, namespace } = plan
  return { name, ...(namespace !== null && { namespace }), labels: stubLabels(plan) }
}

/**
 * The stub's profile for clients in its cluster, without the control API, which listens only inside its pod. Throws a
 * BreakwaterError (usage) if the address is unknown.
 */
export function buildStubProfile(plan: StubPlan, profile: Profile): Profile {
  const host = findHost(plan)
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

function findHost({ name, namespace, clusterIp }: StubPlan): string {
  if (clusterIp !== null) return hostInUrl(clusterIp)
  if (namespace !== null) return `${name}.${namespace}.svc`
  throw new BreakwaterError('--profile: the address of the stub is unknown', {
    hint: 'Set --namespace to address it by DNS, or --cluster-ip if the cluster has no DNS.',
  })
}

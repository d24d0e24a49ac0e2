import { isIP } from 'node:net'
import type { ScenarioConfig, Target, WorldName } from '../../../contract/scenario-config.ts'
import { writesFile } from '../../k6/k6-args.ts'
import { buildScenarioConfig } from '../../runs/scenario-config.ts'
import { oneTarget } from '../../runs/worlds.ts'
import type { KubeObject } from '../api/kube-object.ts'
import { buildOfferedLoad, type ClusterLoadPlan, type ClusterPlan } from '../plan-cluster-load.ts'
import { buildTestRun } from './k6-test-run.ts'
import {
  buildCollectorUrl,
  buildLabels,
  buildMetadata,
  COLLECTOR_PORT,
  COMPONENT_LABEL,
  CONTAINER_SECURITY,
  K6_PORT,
  type ManifestParts,
  POD_SECURITY,
  pulling,
  RESULTS_FOLDER,
  requireRoom,
  SCRIPT_NAME,
  SECRET_FOLDER,
  SECRET_MODE,
  TOKEN_FILE,
} from './manifest-parts.ts'

/** Startup takes some seconds of CPU; writing what runners push takes almost none. */
const RESOURCES = {
  requests: { cpu: '100m', memory: '256Mi' },
  limits: { cpu: '1', memory: '256Mi' },
}
/** Limits the life of a pod whose command was killed; data not collected by then is lost. */
const GATHERED_SECONDS = 6 * 3600
const END_SECONDS = 5

/** Stores what runners push in its own volume, or serves what they wrote to a claim. */
export function buildResultsPod(plan: ClusterPlan, parts: ManifestParts): KubeObject {
  const { cluster, durationSecondsMax } = plan
  const { name, results } = cluster
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: buildMetadata(name, 'results', parts),
    spec: {
      activeDeadlineSeconds: cluster.startSeconds + Math.ceil(durationSecondsMax) + GATHERED_SECONDS,
      automountServiceAccountToken: false,
      enableServiceLinks: false,
      restartPolicy: 'OnFailure',
      terminationGracePeriodSeconds: END_SECONDS,
      ...pulling(cluster),
      securityContext: POD_SECURITY,
      containers: [
        {
          name: 'collector',
          image: cluster.image,
          imagePullPolicy: cluster.imagePullPolicy,
          command: ['breakwater', 'k8s', 'collector', ...COLLECT_OPTIONS],
          env: [{ name: 'HOME', value: '/tmp' }],
          ports: [{ name: 'collector', containerPort: COLLECTOR_PORT }],
          readinessProbe: { httpGet: { path: '/health', port: COLLECTOR_PORT }, periodSeconds: 1 },
          resources: RESOURCES,
          securityContext: CONTAINER_SECURITY,
          volumeMounts: [
            { name: 'secret', mountPath: SECRET_FOLDER, readOnly: true },
            { name: 'results', mountPath: RESULTS_FOLDER },
            { name: 'tmp', mountPath: '/tmp' },
          ],
        },
      ],
      volumes: [
        {
          name: 'secret',
          secret: { secretName: name, defaultMode: SECRET_MODE, items: [{ key: 'token', path: 'token' }] },
        },
        results.kind === 'claim'
          ? { name: 'results', persistentVolumeClaim: { claimName: results.claim } }
          : { name: 'results', emptyDir: {} },
        { name: 'tmp', emptyDir: {} },
      ],
    },
  }
}

const COLLECT_OPTIONS = [
  '--host',
  '0.0.0.0',
  '--port',
  String(COLLECTOR_PORT),
  '--dir',
  RESULTS_FOLDER,
  '--token-file',
  TOKEN_FILE,
]

function buildResultsService({ cluster }: ClusterPlan, parts: ManifestParts): KubeObject {
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: buildMetadata(cluster.name, 'results', parts),
    spec: {
      selector: buildLabels(cluster.name, 'results'),
      ports: [{ name: 'collector', port: COLLECTOR_PORT, targetPort: COLLECTOR_PORT }],
    },
  }
}

/**
 * The objects of a run in dependency order; the TestRun is last. Deterministic: the same plan and parts give the same
 * objects, fields in the same order. Throws a BreakwaterError (usage) if a Secret or ConfigMap would be too large.
 */
export function buildManifests(plan: ClusterLoadPlan, parts: ManifestParts): KubeObject[] {
  const run = { name: plan.cluster.name, trial: 1, load: buildOfferedLoad(plan) }
  return [...buildSharedObjects(plan, parts), buildTestRun(plan, parts, run)]
}

/** The objects that TestRuns use, in dependency order. Throws like `buildManifests`. */
export function buildSharedObjects(plan: ClusterPlan, parts: ManifestParts): KubeObject[] {
  const { script } = parts
  const hasResultsPod = plan.cluster.results.kind !== 'here'
  return [
    buildSecret(plan, parts),
    ...(script === null ? [] : [buildConfigMap(plan, { ...parts, script })]),
    buildRunnersPolicy(plan, parts),
    ...(hasResultsPod
      ? [buildResultsPolicy(plan, parts), buildResultsService(plan, parts), buildResultsPod(plan, parts)]
      : []),
  ]
}

/** Holds the script if the image does not. Throws a BreakwaterError (usage) if it exceeds a ConfigMap. */
function buildConfigMap(plan: ClusterPlan, parts: ManifestParts & { script: string }): KubeObject {
  const data = { [SCRIPT_NAME]: parts.script }
  requireRoom(data, 'ConfigMap', 'Use the script in the image: --script image.')
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: buildMetadata(plan.cluster.name, 'run', parts),
    data,
  }
}

/** Only the operator: anyone who reaches k6's REST API can stop the load. */
function buildRunnersPolicy(plan: ClusterPlan, parts: ManifestParts): KubeObject {
  const { name, operatorNamespace } = plan.cluster
  const { [COMPONENT_LABEL]: _, ...matchLabels } = buildLabels(name, 'runner')
  const ofRun = {
    podSelector: {
      matchLabels,
      matchExpressions: [{ key: COMPONENT_LABEL, operator: 'In', values: ['runner', 'starter'] }],
    },
  }
  const operator = {
    namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': operatorNamespace } },
  }
  return policy(buildMetadata(name, 'run', parts), {
    ...ofRun,
    policyTypes: ['Ingress', 'Egress'],
    ingress: [{ from: [operator, ofRun], ports: [{ protocol: 'TCP', port: K6_PORT }] }],
    egress: runnerEgress(plan),
  })
}

/** Open to all: the collector checks its token, and the API server's address differs between clusters. */
function buildResultsPolicy({ cluster }: ClusterPlan, parts: ManifestParts): KubeObject {
  return policy(buildMetadata(cluster.name, 'results', parts), {
    podSelector: { matchLabels: buildLabels(cluster.name, 'results') },
    policyTypes: ['Ingress', 'Egress'],
    ingress: [{ ports: [{ protocol: 'TCP', port: COLLECTOR_PORT }] }],
    egress: [],
  })
}

function policy(metadata: KubeObject['metadata'], spec: object): KubeObject {
  return { apiVersion: 'networking.k8s.io/v1', kind: 'NetworkPolicy', metadata, spec }
}

type Rule = { to?: unknown[]; ports?: { protocol: 'TCP' | 'UDP'; port: number }[] }

/** Cloud metadata services hand out machine credentials here. */
const LINK_LOCAL = ['169.254.0.0/16']
const ANYWHERE = [
  { ipBlock: { cidr: '0.0.0.0/0', except: LINK_LOCAL } },
  { ipBlock: { cidr: '::/0', except: ['fe80::/10'] } },
]

/**
 * Egress of runners: DNS, pods of the cluster (a Service's port may differ from its pods'), and outside the cluster
 * only target, signer and collector. With other k6 outputs, anywhere, because their addresses are in their settings.
 */
export function runnerEgress({ target, k6Outs, cluster }: ClusterPlan): Rule[] {
  const { baseUrl, wsUrl, credentials } = target.profile
  const addresses = [
    baseUrl,
    wsUrl,
    credentials.signer ?? [],
    cluster.results.kind === 'here' ? (buildCollectorUrl(cluster) ?? []) : [],
  ].flat()
  const outside = [
    ...new Map(addresses.map(buildEgressRule).map((rule) => [JSON.stringify(rule), rule])).values(),
  ]
  return [
    {
      ports: [
        { protocol: 'UDP', port: 53 },
        { protocol: 'TCP', port: 53 },
      ],
    },
    { to: [{ namespaceSelector: {} }] },
    ...(k6Outs.every(writesFile) ? outside : [{ to: ANYWHERE }]),
  ]
}

/** A host name cannot be resolved here. */
function buildEgressRule(address: string): Rule {
  const { hostname, port, protocol } = new URL(address)
  const host = hostname.replace(/^\[|\]$/g, '')
  const number = port === '' ? DEFAULT_PORTS[protocol] : Number(port)
  const bits = { 0: null, 4: 32, 6: 128 }[isIP(host)]
  return {
    to: bits === null || bits === undefined ? ANYWHERE : [{ ipBlock: { cidr: `${host}/${bits}` } }],
    ports: [{ protocol: 'TCP', port: number ?? 0 }],
  }
}

const DEFAULT_PORTS: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443, 'ws:': 80, 'wss:': 443 }

/**
 * All secrets of a run: script parameters (with wallets and API tokens), the collector's token, certificates and the
 * outputs' settings. Throws a BreakwaterError (usage) if they exceed a Secret.
 */
export function buildSecret(plan: ClusterPlan, parts: ManifestParts): KubeObject {
  const { token, ca, settings } = parts
  const values = {
    'config.json': JSON.stringify(buildConfig(plan)),
    token,
    ...(ca !== null && { 'ca.pem': ca }),
    ...settings,
  }
  requireRoom(
    values,
    'Secret',
    `It holds ${plan.target.wallets.length} wallets: list fewer in the profile; one wallet can sign in for many clients.`,
  )
  const base64 = Object.entries(values).map(([key, text]) => [key, Buffer.from(text).toString('base64')])
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: buildMetadata(plan.cluster.name, 'run', parts),
    type: 'Opaque',
    data: Object.fromEntries(base64),
  }
}

/** Without the load, which the TestRun has. k6 gets the certificates directly; local paths mean nothing in the cluster. */
function buildConfig(plan: ClusterPlan): ScenarioConfig {
  const { target } = plan
  return buildScenarioConfig({
    worlds: oneWithWallets({ ...target, profile: { ...target.profile, ca: null } }),
    plan: { ...plan, rules: [], slow: false, requestsMax: null, checkTarget: true },
  })
}

/** A load uses only the main world, so the other worlds carry no wallets. */
function oneWithWallets(target: Target): Record<WorldName, Target> {
  const { byName } = oneTarget({ ...target, wallets: [] })
  return { ...byName, main: target }
}

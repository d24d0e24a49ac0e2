import type { OfferedLoad } from '../../../contract/scenario-config.ts'
import { TRACE_SHARE } from '../../../contract/series.ts'
import { type K6Out, outFlag } from '../../k6/k6-args.ts'
import type { KubeObject } from '../api/kube-object.ts'
import type { ClusterPlan } from '../plan-cluster-load.ts'
import { RUN_ANNOTATION } from '../run-record.ts'
import {
  buildLabels,
  buildResources,
  CA_FILE,
  CONFIG_FILE,
  CONTAINER_SECURITY,
  K6_PORT,
  type ManifestParts,
  POD_SECURITY,
  pulling,
  RESULTS_FOLDER,
  RUNNER_VARIABLE,
  SCRIPT_NAME,
  SCRIPT_OF_IMAGE,
  SECRET_FOLDER,
  SECRET_MODE,
  TEST_RUN,
} from './manifest-parts.ts'

const RUNNER = `$(${RUNNER_VARIABLE})`

/**
 * Arguments of `k6 run` for all runners. The operator splits them at spaces and adds segment, script and address, so
 * they must not contain secrets. Runners' output goes to the pod's log.
 */
function runnerArguments({
  collectorUrl,
  outs,
  trial,
}: {
  collectorUrl: string | null
  trial: number
  outs: readonly K6Out[]
}): string {
  return [
    '--no-color',
    '--no-usage-report',
    '--log-format=raw',
    '--no-thresholds',
    '--summary-mode=disabled',
    '--tag',
    `trial=${trial}`,
    '--out',
    `series=${getSeriesTarget(collectorUrl)}`,
    ...outs.flatMap((out) => ['--out', outFlag(out, RUNNER).replace('--out=', '')]),
  ].join(' ')
}

function getSeriesTarget(collectorUrl: string | null): string {
  const name = `${SERIES_PREFIX}${RUNNER}.ndjson`
  return collectorUrl === null ? `${RESULTS_FOLDER}/${name}` : `${collectorUrl}/files/${name}`
}

const SERIES_PREFIX = 'series-'

export function formatSeriesName(run: string, number: number): string {
  return `${SERIES_PREFIX}${run}-${number}.ndjson`
}

/** Go collects garbage before the limit at which the kernel would kill it. */
const MEMORY_SHARE = 0.9

function runnerEnv({ cluster }: ClusterPlan, parts: ManifestParts, load: OfferedLoad): unknown[] {
  const { collectorUrl, ca, settings } = parts
  const values = {
    HOME: '/tmp',
    BREAKWATER_CONFIG: CONFIG_FILE,
    BREAKWATER_LOAD: JSON.stringify(load),
    ...(ca !== null && { SSL_CERT_FILE: CA_FILE }),
    GOMEMLIMIT: String(Math.floor(cluster.memoryBytes * MEMORY_SHARE)),
    K6_AUTO_EXTENSION_RESOLUTION: 'false',
    K6_NO_USAGE_REPORT: 'true',
    K6_SERIES_WATCH: 'true',
    [TRACE_SHARE.variable]: TRACE_SHARE.load,
  }
  const secrets = [
    ...(collectorUrl === null ? [] : [{ name: 'K6_SERIES_TOKEN', key: 'token' }]),
    ...Object.keys(settings)
      .sort()
      .map((name) => ({ name, key: name })),
  ]
  return [
    { name: RUNNER_VARIABLE, valueFrom: { fieldRef: { fieldPath: "metadata.labels['job-name']" } } },
    ...Object.entries(values).map(([name, value]) => ({ name, value })),
    ...secrets.map(({ name, key }) => ({
      name,
      valueFrom: { secretKeyRef: { name: cluster.name, key } },
    })),
  ]
}

/**
 * For a few curl calls; small enough to fit on a node that runners have filled. Without a starter, runners wait
 * forever.
 */
const STARTER_RESOURCES = {
  requests: { cpu: '10m', memory: '16Mi' },
  limits: { cpu: '200m', memory: '64Mi' },
}

/** One load of runners: its TestRun, which uses the objects of the run. */
export type RunnersLoad = { name: string; trial: number; load: OfferedLoad }

export function buildTestRun(plan: ClusterPlan, parts: ManifestParts, run: RunnersLoad): KubeObject {
  const { cluster } = plan
  const { name } = cluster
  const { runRecord } = parts
  return {
    ...TEST_RUN,
    metadata: {
      name: run.name,
      ...(parts.namespace !== null && { namespace: parts.namespace }),
      labels: buildLabels(name, 'run'),
      ...(runRecord !== null && { annotations: { [RUN_ANNOTATION]: JSON.stringify(runRecord) } }),
    },
    spec: {
      parallelism: cluster.parallelism,
      ...(cluster.separate && { separate: true }),
      script:
        parts.script === null ? { localFile: SCRIPT_OF_IMAGE } : { configMap: { name, file: SCRIPT_NAME } },
      arguments: runnerArguments({ ...run, collectorUrl: parts.collectorUrl, outs: plan.k6Outs }),
      // The initializer would inspect a script that we know, and archive it with its secrets.
      initializer: { disabled: true },
      starter: buildStarter(cluster),
      runner: buildRunner(plan, parts, run.load),
    },
  }
}

function buildRunner(plan: ClusterPlan, parts: ManifestParts, load: OfferedLoad) {
  const { cluster } = plan
  const { name, results } = cluster
  const secretItems = ['config.json', ...(parts.ca === null ? [] : ['ca.pem'])]
  return {
    image: cluster.image,
    imagePullPolicy: cluster.imagePullPolicy,
    ...pulling(cluster),
    automountServiceAccountToken: 'false',
    metadata: { labels: buildLabels(name, 'runner'), annotations: NOT_MOVED },
    securityContext: POD_SECURITY,
    containerSecurityContext: CONTAINER_SECURITY,
    resources: buildResources(cluster),
    env: runnerEnv(plan, parts, load),
    readinessProbe: { httpGet: { path: '/v1/status', port: K6_PORT }, periodSeconds: 1 },
    livenessProbe: LIVENESS,
    ...(!cluster.separate && { topologySpreadConstraints: [spread(name)] }),
    volumes: [
      {
        name: 'secret',
        secret: {
          secretName: name,
          defaultMode: SECRET_MODE,
          items: secretItems.map((key) => ({ key, path: key })),
        },
      },
      { name: 'tmp', emptyDir: {} },
      ...(results.kind === 'claim'
        ? [{ name: 'results', persistentVolumeClaim: { claimName: results.claim } }]
        : []),
    ],
    volumeMounts: [
      { name: 'secret', mountPath: SECRET_FOLDER, readOnly: true },
      { name: 'tmp', mountPath: '/tmp' },
      ...(results.kind === 'claim' ? [{ name: 'results', mountPath: RESULTS_FOLDER }] : []),
    ],
  }
}

/** Keeps cluster autoscalers from removing the node during the load. */
const NOT_MOVED = {
  'cluster-autoscaler.kubernetes.io/safe-to-evict': 'false',
  'karpenter.sh/do-not-disrupt': 'true',
}

/** The operator's default would kill a slow, that is overloaded, runner. */
const LIVENESS = { tcpSocket: { port: K6_PORT }, periodSeconds: 60, timeoutSeconds: 30, failureThreshold: 60 }

function spread(name: string) {
  return {
    maxSkew: 1,
    topologyKey: 'kubernetes.io/hostname',
    whenUnsatisfiable: 'ScheduleAnyway',
    labelSelector: { matchLabels: buildLabels(name, 'runner') },
  }
}

function buildStarter(cluster: ClusterPlan['cluster']) {
  const { starterImage } = cluster
  return {
    ...(starterImage !== null && { image: starterImage, imagePullPolicy: cluster.imagePullPolicy }),
    ...pulling(cluster),
    automountServiceAccountToken: 'false',
    metadata: { labels: buildLabels(cluster.name, 'starter') },
    securityContext: POD_SECURITY,
    containerSecurityContext: CONTAINER_SECURITY,
    resources: STARTER_RESOURCES,
  }
}

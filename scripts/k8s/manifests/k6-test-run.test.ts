import { expect, test } from 'vitest'
import { buildOfferedLoad } from '../plan-cluster-load.ts'
import { readRunRecord } from '../run-record.ts'
import { manifestParts, plannedLoad } from '../test-cluster-plan.ts'
import { buildTestRun } from './k6-test-run.ts'

const plan = await plannedLoad()
const parts = manifestParts(plan)
const run = { name: 'evening', trial: 1, load: buildOfferedLoad(plan) }

const LABELS = {
  'app.kubernetes.io/name': 'breakwater',
  'app.kubernetes.io/instance': 'evening',
  'app.kubernetes.io/component': 'runner',
  'app.kubernetes.io/managed-by': 'breakwater',
}
const POD_SECURITY = {
  runAsNonRoot: true,
  runAsUser: 1000,
  runAsGroup: 1000,
  fsGroup: 1000,
  fsGroupChangePolicy: 'OnRootMismatch',
  seccompProfile: { type: 'RuntimeDefault' },
}
const CONTAINER_SECURITY = {
  allowPrivilegeEscalation: false,
  capabilities: { drop: ['ALL'] },
  readOnlyRootFilesystem: true,
}
const LOAD =
  '{"stages":[{"seconds":32,"rate":100}],"rateFrom":100,"arrivals":{"kind":"even","file":null},"seed":7,"vusMax":57,"instances":3}'
const ENV = {
  HOME: '/tmp',
  BREAKWATER_CONFIG: '/etc/breakwater/config.json',
  BREAKWATER_LOAD: LOAD,
  GOMEMLIMIT: '483183820',
  K6_AUTO_EXTENSION_RESOLUTION: 'false',
  K6_NO_USAGE_REPORT: 'true',
  K6_SERIES_WATCH: 'true',
  K6_TRACE_SHARE: '0.05',
}
const RUNNER = { name: 'RUNNER', valueFrom: { fieldRef: { fieldPath: "metadata.labels['job-name']" } } }

test('a TestRun, field by field', () => {
  const amounts = { cpu: '1', memory: '512Mi' }
  expect(buildTestRun(plan, parts, run)).toEqual({
    apiVersion: 'k6.io/v1alpha1',
    kind: 'TestRun',
    metadata: {
      name: 'evening',
      labels: { ...LABELS, 'app.kubernetes.io/component': 'run' },
      annotations: { 'breakwater/run': JSON.stringify(parts.runRecord) },
    },
    spec: {
      parallelism: 3,
      script: { configMap: { name: 'evening', file: 'load.k6.js' } },
      arguments:
        '--no-color --no-usage-report --log-format=raw --no-thresholds --summary-mode=disabled --tag trial=1 --out series=http://evening-results:8090/files/series-$(RUNNER).ndjson',
      initializer: { disabled: true },
      starter: {
        automountServiceAccountToken: 'false',
        metadata: { labels: { ...LABELS, 'app.kubernetes.io/component': 'starter' } },
        securityContext: POD_SECURITY,
        containerSecurityContext: CONTAINER_SECURITY,
        resources: { requests: { cpu: '10m', memory: '16Mi' }, limits: { cpu: '200m', memory: '64Mi' } },
      },
      runner: {
        image: 'registry.example/breakwater:1',
        imagePullPolicy: 'IfNotPresent',
        automountServiceAccountToken: 'false',
        metadata: {
          labels: LABELS,
          annotations: {
            'cluster-autoscaler.kubernetes.io/safe-to-evict': 'false',
            'karpenter.sh/do-not-disrupt': 'true',
          },
        },
        securityContext: POD_SECURITY,
        containerSecurityContext: CONTAINER_SECURITY,
        resources: { requests: amounts, limits: amounts },
        env: [
          RUNNER,
          ...Object.entries(ENV).map(([name, value]) => ({ name, value })),
          { name: 'K6_SERIES_TOKEN', valueFrom: { secretKeyRef: { name: 'evening', key: 'token' } } },
        ],
        readinessProbe: { httpGet: { path: '/v1/status', port: 6565 }, periodSeconds: 1 },
        livenessProbe: {
          tcpSocket: { port: 6565 },
          periodSeconds: 60,
          timeoutSeconds: 30,
          failureThreshold: 60,
        },
        topologySpreadConstraints: [
          {
            maxSkew: 1,
            topologyKey: 'kubernetes.io/hostname',
            whenUnsatisfiable: 'ScheduleAnyway',
            labelSelector: { matchLabels: LABELS },
          },
        ],
        volumes: [
          {
            name: 'secret',
            secret: {
              secretName: 'evening',
              defaultMode: 0o440,
              items: [{ key: 'config.json', path: 'config.json' }],
            },
          },
          { name: 'tmp', emptyDir: {} },
        ],
        volumeMounts: [
          { name: 'secret', mountPath: '/etc/breakwater', readOnly: true },
          { name: 'tmp', mountPath: '/tmp' },
        ],
      },
    },
  })
})

test('with a volume, certificates, further outputs and one node per runner', () => {
  const results = { kind: 'claim', claim: 'shared' } as const
  const cluster = { ...plan.cluster, results, separate: true, namespace: 'load' }
  const k6Outs = [{ name: 'json', argument: '/results/raw.json.gz' }]
  const { metadata, spec } = buildTestRun(
    { ...plan, cluster, k6Outs },
    {
      ...parts,
      namespace: 'load',
      collectorUrl: null,
      ca: 'PEM',
      settings: { K6_JSON_B: '2', K6_JSON_A: '1' },
    },
    run,
  )
  expect(metadata.namespace).toBe('load')
  const { arguments: words, separate, runner } = spec as Record<string, Record<string, unknown>> // as: as above
  expect(separate).toBe(true)
  expect(words).toMatch(
    / --out series=\/results\/series-\$\(RUNNER\)\.ndjson --out json=\/results\/raw-\$\(RUNNER\)\.json\.gz$/,
  )
  expect(runner).not.toHaveProperty('topologySpreadConstraints')
  expect(runner?.env).toEqual([
    RUNNER,
    ...Object.entries({ ...ENV, SSL_CERT_FILE: '/etc/breakwater/ca.pem' })
      .sort(([a], [b]) => ORDER.indexOf(a) - ORDER.indexOf(b))
      .map(([name, value]) => ({ name, value })),
    { name: 'K6_JSON_A', valueFrom: { secretKeyRef: { name: 'evening', key: 'K6_JSON_A' } } },
    { name: 'K6_JSON_B', valueFrom: { secretKeyRef: { name: 'evening', key: 'K6_JSON_B' } } },
  ])
  expect(runner).toMatchObject({
    volumes: [
      {
        secret: {
          items: [
            { key: 'config.json', path: 'config.json' },
            { key: 'ca.pem', path: 'ca.pem' },
          ],
        },
      },
      { name: 'tmp' },
      { name: 'results', persistentVolumeClaim: { claimName: 'shared' } },
    ],
    volumeMounts: [{ name: 'secret' }, { name: 'tmp' }, { name: 'results', mountPath: '/results' }],
  })
})

const ORDER = [
  'HOME',
  'BREAKWATER_CONFIG',
  'BREAKWATER_LOAD',
  'SSL_CERT_FILE',
  'GOMEMLIMIT',
  'K6_AUTO_EXTENSION_RESOLUTION',
  'K6_NO_USAGE_REPORT',
  'K6_SERIES_WATCH',
  'K6_TRACE_SHARE',
]

test('contains all that collecting needs', () => {
  const { metadata } = buildTestRun(plan, parts, run)
  expect(readRunRecord(metadata.annotations, 'evening')).toEqual(parts.runRecord)
})

test('a trial of a search uses the objects of the search, and cannot be collected by another command', () => {
  const trial = { name: 'evening-t3', trial: 3, load: { ...run.load, seed: 10 } }
  const { metadata, spec } = buildTestRun(plan, { ...parts, runRecord: null }, trial)
  const whole = buildTestRun(plan, parts, run)
  expect(metadata).toEqual({ name: 'evening-t3', labels: whole.metadata.labels })
  const shown = (object: unknown) => JSON.stringify(object)
  expect(shown(spec)).toBe(
    shown(whole.spec)
      .replace('--tag trial=1', '--tag trial=3')
      .replace(String.raw`\"seed\":7`, String.raw`\"seed\":10`),
  )
})

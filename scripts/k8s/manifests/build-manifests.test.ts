import { expect, test } from 'vitest'
import type { ClusterLoadPlan } from '../plan-cluster-load.ts'
import { manifestParts, plannedLoad } from '../test-cluster-plan.ts'
import { buildManifests, runnerEgress } from './build-manifests.ts'
import { formatSeriesName } from './k6-test-run.ts'

const plan = await plannedLoad()
const parts = manifestParts(plan)

test('come in dependency order, and are named after the run', () => {
  expect(buildManifests(plan, parts).map(({ kind, metadata }) => `${kind} ${metadata.name}`)).toEqual([
    'Secret evening',
    'ConfigMap evening',
    'NetworkPolicy evening',
    'NetworkPolicy evening-results',
    'Service evening-results',
    'Pod evening-results',
    'TestRun evening',
  ])
})

test('the script may be in the image, and results may be pushed to this process', async () => {
  const here = { ...plan.cluster, results: { kind: 'here', host: '10.0.0.9', port: 9000 } } as const
  const objects = buildManifests({ ...plan, cluster: here }, { ...parts, script: null })
  expect(objects.map(({ kind }) => kind)).toEqual(['Secret', 'NetworkPolicy', 'TestRun'])
  expect(objects.at(-1)?.spec).toMatchObject({ script: { localFile: '/opt/breakwater/dist/load.k6.js' } })
})

test('share one namespace, or have none', () => {
  const namespaces = (namespace: string | null) =>
    new Set(buildManifests(plan, { ...parts, namespace }).map(({ metadata }) => metadata.namespace))
  expect(namespaces(null)).toEqual(new Set([undefined]))
  expect(namespaces('load')).toEqual(new Set(['load']))
})

test('can be found by their labels', () => {
  for (const { metadata } of buildManifests(plan, parts)) {
    expect(metadata.labels).toMatchObject({
      'app.kubernetes.io/name': 'breakwater',
      'app.kubernetes.io/instance': 'evening',
      'app.kubernetes.io/managed-by': 'breakwater',
    })
  }
})

test('belong to the TestRun once it exists', () => {
  const owners = buildManifests(plan, { ...parts, ownerUid: 'f00' }).map(
    ({ metadata }) => metadata.ownerReferences,
  )
  const owner = { apiVersion: 'k6.io/v1alpha1', kind: 'TestRun', name: 'evening', uid: 'f00' }
  expect(owners).toEqual([...Array(6).fill([owner]), undefined])
})

test('the arguments of runners, word by word', () => {
  const spec = buildManifests(plan, parts).at(-1)?.spec as { arguments: string } // as: of the TestRun
  expect(spec.arguments.split(' ')).toEqual([
    '--no-color',
    '--no-usage-report',
    '--log-format=raw',
    '--no-thresholds',
    '--summary-mode=disabled',
    '--tag',
    'trial=1',
    '--out',
    'series=http://evening-results:8090/files/series-$(RUNNER).ndjson',
  ])
  expect(formatSeriesName('evening', 2)).toBe('series-evening-2.ndjson')
})

const ANYWHERE = [
  { ipBlock: { cidr: '0.0.0.0/0', except: ['169.254.0.0/16'] } },
  { ipBlock: { cidr: '::/0', except: ['fe80::/10'] } },
]
const DNS = {
  ports: [
    { protocol: 'UDP', port: 53 },
    { protocol: 'TCP', port: 53 },
  ],
}
const PODS = { to: [{ namespaceSelector: {} }] }
const tcp = (port: number) => [{ protocol: 'TCP', port }]

function egressTo(addresses: { baseUrl: string; wsUrl: string; signer?: string }, more: object = {}) {
  const { signer = null, ...urls } = addresses
  const { profile } = plan.target
  const credentials = { ...profile.credentials, signer }
  const target = { ...plan.target, profile: { ...profile, ...urls, credentials } }
  const full: ClusterLoadPlan = { ...plan, target, ...more }
  return runnerEgress(full)
}

test('by name: any address, but only its ports', () => {
  expect(egressTo({ baseUrl: 'https://x.example/api', wsUrl: 'wss://x.example:8443' })).toEqual([
    DNS,
    PODS,
    { to: ANYWHERE, ports: tcp(443) },
    { to: ANYWHERE, ports: tcp(8443) },
  ])
})

test('by address: only that, without duplicates', () => {
  expect(
    egressTo({ baseUrl: 'http://10.0.0.5', wsUrl: 'ws://10.0.0.5:80', signer: 'http://[fd00::5]:9000/sign' }),
  ).toEqual([
    DNS,
    PODS,
    { to: [{ ipBlock: { cidr: '10.0.0.5/32' } }], ports: tcp(80) },
    { to: [{ ipBlock: { cidr: 'fd00::5/128' } }], ports: tcp(9000) },
  ])
})

test('allows a collector in this process', () => {
  const results = { kind: 'here', host: '10.0.0.9', port: 9000 }
  const rules = egressTo(
    { baseUrl: 'http://10.0.0.5', wsUrl: 'ws://10.0.0.5' },
    { cluster: { ...plan.cluster, results } },
  )
  expect(rules.at(-1)).toEqual({ to: [{ ipBlock: { cidr: '10.0.0.9/32' } }], ports: tcp(9000) })
})

test('further outputs may send anywhere, unless they only write files', () => {
  const urls = { baseUrl: 'http://10.0.0.5', wsUrl: 'ws://10.0.0.5' }
  expect(egressTo(urls, { k6Outs: [{ name: 'opentelemetry', argument: null }] })).toEqual([
    DNS,
    PODS,
    { to: ANYWHERE },
  ])
  expect(egressTo(urls, { k6Outs: [{ name: 'json', argument: '/results/raw.json' }] })).toEqual(
    egressTo(urls),
  )
})

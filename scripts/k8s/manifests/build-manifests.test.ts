import { expect, test } from 'vitest'
import { manifestParts, plannedLoad } from '../test-cluster-plan.ts'
import { buildManifests } from './build-manifests.ts'
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

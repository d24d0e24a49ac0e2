import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../../tools/test/temporary-folder.ts'
import { projectPath } from '../../project.ts'
import type { ClusterChoices, ResultsPlace } from '../plan-cluster-load.ts'
import { manifestParts, plannedLoad } from '../test-cluster-plan.ts'
import { buildManifests } from './build-manifests.ts'
import { buildCollectorUrl, buildResources, manifestFiles } from './manifest-parts.ts'
import { listPods, type PodSpec } from './test-pods.ts'

const plan = await plannedLoad()

const CHOICES: readonly Partial<ClusterChoices>[] = [
  {},
  { results: { kind: 'claim', claim: 'shared' }, script: 'image' },
  { results: { kind: 'here', host: '10.0.0.9', port: 9000 }, separate: true },
  { imagePullSecret: 'registry', starterImage: 'registry.example/starter:1', imagePullPolicy: 'Always' },
]

test.each(CHOICES)('every pod passes the restricted standard: %o', (choices) => {
  const pods = listPods(podObjects(choices))
  expect(pods.map(({ name }) => name)).toEqual([
    ...(choices.results?.kind === 'here' ? [] : ['evening-results']),
    'runner',
    'starter',
  ])
  for (const { name, spec } of pods) expect(listBreaches(spec), name).toEqual([])
})

test('detects pods that do not meet it', () => {
  const [pod] = listPods(podObjects({}))
  expect(listBreaches({ ...(pod?.spec as PodSpec), securityContext: {}, hostNetwork: true })).toEqual([
    'hostNetwork',
    'runAsNonRoot',
    'runAsUser',
    'seccompProfile',
  ])
})

test('every pod has limits and no API token', () => {
  for (const { name, spec } of CHOICES.flatMap((choices) => listPods(podObjects(choices)))) {
    expect(spec.automountServiceAccountToken, name).toBe(false)
    for (const { resources } of spec.containers) {
      expect(Object.keys(resources.limits), name).toEqual(['cpu', 'memory'])
      expect(Object.keys(resources.requests), name).toEqual(['cpu', 'memory'])
    }
  }
})

test('all images use the same pull settings', () => {
  const pods = listPods(podObjects(CHOICES[3] ?? {}))
  for (const { spec } of pods) {
    expect(spec.imagePullSecrets).toEqual([{ name: 'registry' }])
    expect(spec.containers[0]?.imagePullPolicy).toBe('Always')
  }
  expect(pods.map(({ spec }) => spec.containers[0]?.image)).toEqual([
    'registry.example/breakwater:1',
    'registry.example/breakwater:1',
    'registry.example/starter:1',
  ])
})

test.each([
  [1, 512 * 2 ** 20, '1', '512Mi'],
  [0.25, 2 * 2 ** 30, '250m', '2048Mi'],
  [1.5, 500_000_000, '1500m', '500000000'],
])('%d cores and %d bytes are request and limit', (cpu, memoryBytes, cores, memory) => {
  const amounts = { cpu: cores, memory }
  expect(buildResources({ cpu, memoryBytes })).toEqual({ requests: amounts, limits: amounts })
})

function podObjects(choices: Partial<ClusterChoices>) {
  const parts = manifestParts(plan)
  return buildManifests(
    { ...plan, cluster: { ...plan.cluster, ...choices } },
    { ...parts, script: choices.script === 'image' ? null : parts.script },
  )
}

const VOLUMES: ReadonlySet<string> = new Set(['configMap', 'emptyDir', 'persistentVolumeClaim', 'secret'])

/** https://kubernetes.io/docs/concepts/security/pod-security-standards/#restricted */
function listBreaches(spec: PodSpec): string[] {
  const { securityContext: pod, containers, volumes = [] } = spec
  const checks: Record<string, boolean> = {
    hostNetwork: !('hostNetwork' in spec || 'hostPID' in spec || 'hostIPC' in spec),
    volumes: volumes.every(({ name: _, ...kinds }) => Object.keys(kinds).every((kind) => VOLUMES.has(kind))),
    runAsNonRoot: pod.runAsNonRoot === true,
    runAsUser: typeof pod.runAsUser === 'number' && pod.runAsUser > 0,
    seccompProfile: (pod.seccompProfile as { type?: string } | undefined)?.type === 'RuntimeDefault',
    allowPrivilegeEscalation: containers.every(
      ({ securityContext }) => securityContext.allowPrivilegeEscalation === false,
    ),
    capabilities: containers.every(
      ({ securityContext }) => JSON.stringify(securityContext.capabilities) === '{"drop":["ALL"]}',
    ),
    readOnlyRootFilesystem: containers.every(
      ({ securityContext }) => securityContext.readOnlyRootFilesystem === true,
    ),
    overrides: containers.every(
      ({ securityContext }) => !/runAs|privileged|proc/.test(JSON.stringify(securityContext)),
    ),
  }
  return Object.keys(checks).filter((name) => checks[name] === false)
}

test.each<[ResultsPlace, string | null]>([
  [{ kind: 'pod' }, 'http://evening-results:8090'],
  [{ kind: 'claim', claim: 'shared' }, null],
  [{ kind: 'here', host: '10.0.0.5', port: 9000 }, 'http://10.0.0.5:9000'],
  [{ kind: 'here', host: 'fd00::5', port: 9000 }, 'http://[fd00::5]:9000'],
])('results of %o are pushed to %s', (results, url) => {
  expect(buildCollectorUrl({ name: 'evening', results })).toBe(url)
})

test('the script is one file, the same on every machine', async () => {
  const { script } = await manifestFiles(plan, {})
  // Its functions, which the scenarios name.
  expect(script).toMatch(/export\{client,heartbeat,/)
  expect(script).not.toContain(projectPath('.').slice(1))
})

test('omitted if the image contains it', async () => {
  const cluster = { ...plan.cluster, script: 'image' } as const
  expect(await manifestFiles({ ...plan, cluster }, {})).toEqual({ script: null, ca: null, settings: {} })
})

test('reads certificates, and the settings of the requested outputs', async () => {
  const ca = join(temporaryFolder(), 'ca.pem')
  writeFileSync(ca, 'the certificates')
  const target = { ...plan.target, profile: { ...plan.target.profile, ca } }
  const k6Outs = [{ name: 'influxdb', argument: null }]
  const env = { K6_INFLUXDB_PASSWORD: 'p', K6_VUS: '1', K6_OTEL_HEADERS: 'h', PATH: '/bin' }
  expect(await manifestFiles({ ...plan, target, k6Outs }, env)).toMatchObject({
    ca: 'the certificates',
    settings: { K6_INFLUXDB_PASSWORD: 'p' },
  })
})

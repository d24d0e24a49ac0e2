import { expect, test } from 'vitest'
import type { StubPlan } from './plan-stub.ts'
import { buildStubObjects } from './stub-objects.ts'

const PLAN: StubPlan = {
  name: 'exchange',
  namespace: null,
  image: 'registry.example/breakwater:1',
  imagePullPolicy: 'IfNotPresent',
  imagePullSecret: null,
  cpu: 1,
  memoryBytes: 2 ** 29,
  world: 'tiny',
  seed: 7,
  choices: 'default',
  mutant: null,
  serviceRate: null,
  clusterIp: null,
  files: {},
  controlToken: 'a-token-of-my-own',
}

const FULL: StubPlan = {
  ...PLAN,
  namespace: 'load',
  imagePullSecret: 'pull',
  world: 'world.json',
  mutant: 'rate-limit-forever',
  serviceRate: 400,
  clusterIp: '10.96.0.77',
  files: { 'world.json': '{"a":1}', 'faults.json': '{"b":2}' },
}

function at(object: object | undefined, path: string): unknown {
  return path.split('.').reduce<unknown>((value, key) => (value as Record<string, unknown>)?.[key], object) // as: read as far as it goes
}

const ofKind = (plan: StubPlan, kind: string) => buildStubObjects(plan).find((object) => object.kind === kind)
const container = (plan: StubPlan) => at(ofKind(plan, 'Deployment'), 'spec.template.spec.containers.0')

test.each([
  { plan: PLAN, kinds: ['Secret', 'NetworkPolicy', 'Service', 'Deployment'], namespace: undefined },
  { plan: FULL, kinds: ['Secret', 'ConfigMap', 'NetworkPolicy', 'Service', 'Deployment'], namespace: 'load' },
])('all have the name of the stub: $kinds', ({ plan, kinds, namespace }) => {
  const objects = buildStubObjects(plan)
  expect(objects.map(({ kind }) => kind)).toEqual(kinds)
  for (const { metadata } of objects) {
    expect(metadata).toEqual({
      name: 'exchange',
      ...(namespace !== undefined && { namespace }),
      labels: {
        'app.kubernetes.io/name': 'breakwater-stub',
        'app.kubernetes.io/instance': 'exchange',
        'app.kubernetes.io/component': 'stub',
        'app.kubernetes.io/managed-by': 'breakwater',
      },
    })
  }
})

test('Service and policy select its pod and the two public ports', () => {
  const labels = at(ofKind(FULL, 'Deployment'), 'spec.template.metadata.labels')
  const selector = { 'app.kubernetes.io/name': 'breakwater-stub', 'app.kubernetes.io/instance': 'exchange' }
  expect(labels).toMatchObject(selector)
  expect(ofKind(FULL, 'Service')?.spec).toEqual({
    clusterIP: '10.96.0.77',
    selector,
    ports: [
      { name: 'rest', port: 8080, targetPort: 'rest' },
      { name: 'feed', port: 8081, targetPort: 'feed' },
    ],
  })
  expect(at(ofKind(PLAN, 'Service'), 'spec.clusterIP')).toBeUndefined()
  expect(ofKind(FULL, 'NetworkPolicy')?.spec).toEqual({
    podSelector: { matchLabels: selector },
    policyTypes: ['Ingress', 'Egress'],
    ingress: [
      {
        ports: [
          { protocol: 'TCP', port: 8080 },
          { protocol: 'TCP', port: 8081 },
        ],
      },
    ],
    egress: [],
  })
})

const USUAL =
  'breakwater stub --host 0.0.0.0 --port 8080 --feed-port 8081 --control-port 8082 --no-observer --no-rate-limit'

test('its pod runs a stub for load with all options', () => {
  const joinCommand = (plan: StubPlan) => (at(container(plan) as object, 'command') as string[]).join(' ') // as: of the container
  expect(joinCommand(PLAN)).toBe(`${USUAL} --world tiny --seed 7 --choices default`)
  expect(joinCommand(FULL)).toBe(
    `${USUAL} --world /etc/breakwater/world.json --seed 7 --choices default --mutant rate-limit-forever --service-rate 400 --faults /etc/breakwater/faults.json`,
  )
  expect(container(FULL)).toMatchObject({
    image: 'registry.example/breakwater:1',
    imagePullPolicy: 'IfNotPresent',
    resources: { requests: { cpu: '1', memory: '512Mi' }, limits: { cpu: '1', memory: '512Mi' } },
    volumeMounts: [{ mountPath: '/tmp' }, { name: 'files', mountPath: '/etc/breakwater', readOnly: true }],
  })
  expect(at(ofKind(FULL, 'Deployment'), 'spec.template.spec.imagePullSecrets')).toEqual([{ name: 'pull' }])
})

test('its pod meets the restricted pod security standard, and has no access to the cluster', () => {
  for (const plan of [PLAN, FULL]) {
    expect(at(ofKind(plan, 'Deployment'), 'spec.template.spec')).toMatchObject({
      automountServiceAccountToken: false,
      enableServiceLinks: false,
      securityContext: { runAsNonRoot: true, runAsUser: 1000, seccompProfile: { type: 'RuntimeDefault' } },
      containers: [
        {
          securityContext: {
            allowPrivilegeEscalation: false,
            capabilities: { drop: ['ALL'] },
            readOnlyRootFilesystem: true,
          },
        },
      ],
    })
  }
})

test('the token of the control API is only in the Secret', () => {
  const [secret, ...others] = buildStubObjects(FULL)
  const { data } = secret as unknown as { data: Record<string, string> } // as: of a Secret
  expect(Buffer.from(data.BREAKWATER_CONTROL_TOKEN ?? '', 'base64').toString()).toBe('a-token-of-my-own')
  expect(JSON.stringify(others)).not.toContain('a-token-of-my-own')
  expect(at(container(FULL) as object, 'env.1.valueFrom.secretKeyRef')).toEqual({
    name: 'exchange',
    key: 'BREAKWATER_CONTROL_TOKEN',
  })
})

test('another world or fault plan changes the pod, so that it restarts', () => {
  const renderPod = (files: StubPlan['files']) =>
    JSON.stringify(at(ofKind({ ...FULL, files }, 'Deployment'), 'spec.template'))
  expect(renderPod(FULL.files)).toBe(renderPod({ ...FULL.files }))
  expect(renderPod(FULL.files)).not.toBe(renderPod({ ...FULL.files, 'faults.json': '{"b":3}' }))
})

test('rejects a world that does not fit into a ConfigMap', () => {
  const files = { 'world.json': 'x'.repeat(2 ** 20 + 1) }
  expect(() => buildStubObjects({ ...FULL, files })).toThrow(/ConfigMap .*1048577 bytes/)
})

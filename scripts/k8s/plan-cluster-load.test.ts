import { expect, test } from 'vitest'
import { buildOfferedLoad, type ClusterOptions, runnerMemory } from './plan-cluster-load.ts'
import { plannedLoad } from './test-cluster-plan.ts'

test('plans the same load as `load`, with the cluster options', async () => {
  const plan = await plannedLoad({ namespace: 'load', oneRunnerPerNode: true, k6Out: ['opentelemetry'] })
  expect(plan).toMatchObject({
    job: 'load',
    command: 'breakwater k8s run',
    constantLoad: { rate: 100, warmUpSeconds: 2, seconds: 30 },
    durationSecondsMax: 92,
    instances: 3,
    target: { profile: { baseUrl: 'http://exchange.example/api' }, controlToken: null },
    k6Outs: [{ name: 'opentelemetry', argument: null }],
  })
  expect(plan.cluster).toEqual({
    name: 'evening',
    namespace: 'load',
    parallelism: 3,
    image: 'registry.example/breakwater:1',
    imagePullPolicy: 'IfNotPresent',
    imagePullSecret: null,
    starterImage: null,
    script: 'configmap',
    results: { kind: 'pod' },
    separate: true,
    cpu: 1,
    memoryBytes: 536_870_912,
    operatorNamespace: 'k6-operator-system',
    startSeconds: 120,
  })
})

test('requests nothing from the target, whose control API may be out of reach', async () => {
  const env = { BREAKWATER_CONTROL_TOKEN: 'token' }
  const plan = await plannedLoad({ profile: { control: 'http://127.0.0.1:1' }, env })
  expect(plan.target.controlToken).toBeNull()
})

test('all runners offer one load together, with at least one VU each', async () => {
  const plan = await plannedLoad({ rate: 0.01, parallelism: 64 })
  expect(buildOfferedLoad(plan)).toEqual({
    stages: [{ seconds: 32, rate: 0.01 }],
    rateFrom: 0.01,
    arrivals: { kind: 'even', file: null },
    seed: 7,
    vusMax: 64,
    instances: 64,
  })
  expect(buildOfferedLoad(await plannedLoad()).vusMax).toBeGreaterThan(10)
})

test.each(['times.txt', 'trace'])(
  'a recorded timeline is a file that runners cannot read: %s',
  async (arrivals) => {
    await expect(plannedLoad({ arrivals })).rejects.toMatchObject({
      message: `--arrivals ${arrivals}: runners cannot read files of this machine`,
      hint: 'Use even or poisson in a cluster.',
      exitCode: 2,
    })
  },
)

const CLAIM = { results: { kind: 'claim', claim: 'shared' } } as const

test('outputs that write files use the volume', async () => {
  const plan = await plannedLoad({ ...CLAIM, k6Out: ['json=raw.json.gz', 'csv=/results/raw.csv'] })
  expect(plan.k6Outs).toEqual([
    { name: 'json', argument: '/results/raw.json.gz' },
    { name: 'csv', argument: '/results/raw.csv' },
  ])
})

test.each<{ what: string; options: Parameters<typeof plannedLoad>[0]; says: string }>([
  {
    what: 'more runners than VUs',
    options: { parallelism: 5, maxVus: 4 },
    says: '--parallelism 5: --max-vus 4 gives less than one VU each',
  },
  {
    what: 'a target that each pod would resolve to itself',
    options: { profile: { baseUrl: 'http://127.0.0.1:8080' }, confirm: ['exchange.example'] },
    says: 'target profile: baseUrl: http://127.0.0.1:8080: in a pod, this address is the pod itself',
  },
  {
    what: 'a WebSocket at a host that the command line does not confirm',
    options: { profile: { wsUrl: 'wss://feed.example' } },
    says: 'load: feed.example: the command line does not confirm a load (--confirm feed.example)',
  },
  {
    what: 'a local WebSocket that clients of the mix use',
    options: {
      mix: 'bots',
      rate: 0.1,
      profile: { wsUrl: 'ws://localhost:1' },
      env: { BREAKWATER_API_TOKENS: 'a' },
    },
    says: 'target profile: wsUrl: ws://localhost:1: in a pod, this address is the pod itself',
  },
  {
    what: 'a file that would be deleted with its pod',
    options: { k6Out: ['json=raw.json'] },
    says: '--k6-out json=raw.json: writes a file, which is deleted with the pod',
  },
  {
    what: 'a file elsewhere',
    options: { ...CLAIM, k6Out: ['csv=../raw.csv'] },
    says: '--k6-out csv=../raw.csv: expected a file name without a folder',
  },
  {
    what: 'an argument that the operator would split',
    options: { k6Out: ['influxdb=http://db:8086/k6 --vus=9'] },
    says: '--k6-out influxdb=http://db:8086/k6 --vus=9: expected only letters, digits and _ . / : = % + , -',
  },
  {
    what: 'an argument that a shell would run',
    options: { k6Out: ['influxdb=$(id)'] },
    says: '--k6-out influxdb=$(id): expected only letters, digits and _ . / : = % + , -',
  },
  {
    what: 'a password, without repeating it',
    options: { k6Out: ['influxdb=http://me:secret@db:8086/k6'] },
    says: '--k6-out influxdb=http://db:8086/k6: contains a password or token, which others could see',
  },
  {
    what: 'a token in a query, without repeating it',
    options: { k6Out: ['influxdb=http://db:8086/k6?token=secret'] },
    says: '--k6-out influxdb=http://db:8086/k6: contains a password or token, which others could see',
  },
])('refuses $what', async ({ options, says }) => {
  await expect(plannedLoad(options)).rejects.toMatchObject({ message: says, exitCode: 2 })
})

test('an unused WebSocket may be anywhere', async () => {
  const options: Partial<ClusterOptions> & { profile: object } = { profile: { wsUrl: 'ws://127.0.0.1:1' } }
  await expect(plannedLoad(options)).resolves.toMatchObject({ job: 'load' })
})

const MIB = 2 ** 20

test.each([
  { vusMax: 10, parallelism: 1, mib: 256 },
  { vusMax: 1120, parallelism: 1, mib: 1600 },
  { vusMax: 1120, parallelism: 4, mib: 576 },
])('$vusMax VUs in $parallelism runners are given $mib MiB each', ({ mib, ...load }) => {
  expect(runnerMemory({ ...load, requestedBytes: null })).toBe(mib * MIB)
})

test('runners get the requested memory if their VUs fit', () => {
  expect(runnerMemory({ requestedBytes: 560 * MIB, vusMax: 1120, parallelism: 1 })).toBe(560 * MIB)
})

// A runner of 256 MiB was killed when it made the 510th of these.
test('rejects too little memory, and says how much is needed', () => {
  expect(() => runnerMemory({ requestedBytes: 256 * MIB, vusMax: 1120, parallelism: 1 })).toThrow(
    expect.objectContaining({
      message: '--memory 256Mi: the 1120 VUs of each runner need more memory even when idle',
      hint: 'They fit into 1600Mi. Otherwise use more runners (--parallelism) or fewer VUs (--max-vus).',
      exitCode: 2,
    }),
  )
})

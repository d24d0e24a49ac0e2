import { expect, test } from 'vitest'
import { plannedSearch } from '../k8s/test-cluster-plan.ts'

const SOCKETS = {
  axis: 'sockets',
  mix: 'sockets',
  profile: { credentials: { apiTokens: { env: 'API_TOKENS' } } },
  env: { API_TOKENS: `ss_${'a'.repeat(43)}` },
} as const

test('plans the same search as `capacity`, with the overhead of runners and the cluster options', async () => {
  const plan = await plannedSearch({ namespace: 'load', to: 5000, minRate: 2000 })
  expect(plan).toMatchObject({
    job: 'capacity',
    instances: 3,
    vusMax: 2000,
    durationSecondsMax: 900,
    rules: [],
    goal: { rateStart: 50, rateMax: 5000, relativeWidth: 0.05, overheadSeconds: 10, trialSeconds: 5 },
    search: { rateMax: 5000, secondsMax: 900, rateRequired: 2000 },
    target: { profile: { baseUrl: 'http://exchange.example/api' } },
    cluster: { name: 'evening', namespace: 'load', parallelism: 3 },
    machine: '3 pods of 1 core, 1088 MiB',
  })
})

test('by default, the memory of the runners fits all VUs that the search may use', async () => {
  const plan = await plannedSearch({ parallelism: 4, maxVus: 4000 })
  // 192 MiB, and 1.25 MiB for each of 1000 VUs, rounded up to a multiple of 64 MiB.
  expect(plan.cluster.memoryBytes).toBe(1472 * 2 ** 20)
  expect(plan.machine).toBe('4 pods of 1 core, 1472 MiB')
})

test('the memory of the runners fits all sockets that the search may open', async () => {
  const options = { ...SOCKETS, parallelism: 4 }
  // 192 MiB, and 1.25 MiB for a quarter of 2000 sockets, rounded up to a multiple of 64 MiB.
  expect((await plannedSearch({ ...options, to: 8000 })).machine).toBe('4 pods of 1 core, 832 MiB')
  expect((await plannedSearch({ ...options, to: 200 })).machine).toBe('4 pods of 1 core, 256 MiB')
})

test('stages take as long as they last, and as the runners may take to start', async () => {
  expect(await plannedSearch({ stages: 'spike' })).toMatchObject({
    durationSecondsMax: 300,
    stages: { name: 'spike' },
  })
  expect((await plannedSearch({ stages: 'spike', startSeconds: 600 })).durationSecondsMax).toBe(722)
  await expect(plannedSearch({ stages: 'spike', maxDuration: 241 })).rejects.toThrow(
    '--max-duration 241s: the stages of spike take 242 s, including start and end',
  )
})

test('the limits of this machine do not apply to the sockets of runners', async () => {
  const plan = await plannedSearch({ ...SOCKETS, maxVus: 10_000, from: 100 })
  expect(plan.goal).toMatchObject({ axis: 'sockets', rateStart: 100, rateMax: 200_000, overheadSeconds: 10 })
})

test.each([
  [
    'more runners than VUs',
    { parallelism: 5, maxVus: 4 },
    '--parallelism 5: --max-vus 4 gives less than one VU each',
  ],
  [
    'a target that each pod would resolve to itself',
    { profile: { baseUrl: 'http://127.0.0.1:8080' }, confirm: ['exchange.example'] },
    'baseUrl: http://127.0.0.1:8080: in a pod, this address is the pod itself',
  ],
  [
    'a recorded timeline',
    { arrivals: 'times.txt' },
    '--arrivals times.txt: runners cannot read files of this machine',
  ],
  ['contradictory bounds', { from: 50, to: 20 }, '--from 50 is above --to 20'],
  [
    'memory that idle VUs do not fit',
    { memoryBytes: 64 * 2 ** 20 },
    '--memory 64Mi: the 667 VUs of each runner need more',
  ],
] as const)('rejects %s', async (_, options, says) => {
  await expect(plannedSearch(options)).rejects.toThrow(says)
})

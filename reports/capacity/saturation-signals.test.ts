import { expect, test } from 'vitest'
import type { GeneratorHealth } from '../../contract/capacity.ts'
import { listGeneratorLimits, listTargetLimits, type TrialSigns } from './saturation-signals.ts'

const HEALTHY: GeneratorHealth = {
  cpuCores: 0.4,
  cpuCoresMax: 2,
  machineBusy: 0.5,
  runQueueCores: 0.1,
  throttledShare: null,
  openFilesMax: 40,
  openFilesLimit: 1000,
  portsUsedMax: 40,
  portsMax: 28_232,
  residentMbMax: 200,
}

const FINE: TrialSigns = {
  broken: [],
  excessMs: null,
  generatorLagMs: 4,
  vusMax: 50,
  requestsPerSecond: 400,
  generator: HEALTHY,
  target: null,
  isTargetLocal: true,
}

type Change = Partial<Omit<TrialSigns, 'generator'>> & { generator?: Partial<GeneratorHealth> }

function blamed({ generator, ...change }: Change): string[] | null {
  const signs = { ...FINE, ...change, generator: { ...HEALTHY, ...generator } }
  return listGeneratorLimits(signs)?.map(({ signal, reason }) => `${signal}: ${reason}`) ?? null
}

const FULL_CPU = { cpuCores: 1.84 }
const STARVED = { cpuCores: 1.1, runQueueCores: 0.75 }
const QUEUE = { cpuCores: 0.3, eventLoopLagMs: 80, queueMax: 900 }
const ROOM = { cpuCores: 0.4, eventLoopLagMs: 15, queueMax: 4 }

const TO_BLAME: [string, Change, string[]][] = [
  [
    'VUs run out while latencies are within limits',
    { broken: ['dropped', 'throughput'] },
    ['vus: all 50 VUs were busy, at latencies within the limits'],
  ],
  [
    'its cores are busy, and latencies too long by what that makes',
    { broken: ['latency'], excessMs: 160, generatorLagMs: 40, generator: FULL_CPU },
    ['cpu: k6 kept 1.8 of its 2 available cores busy'],
  ],
  [
    'others have its cores',
    { broken: ['latency', 'dropped'], excessMs: 90, generatorLagMs: 40, generator: STARVED },
    ['run-queue: k6 had 1.1 cores and waited for 0.75 more'],
  ],
  [
    'others have most of its cores, however long latencies are',
    { broken: ['latency'], excessMs: 9000, generator: { cpuCores: 0.3, runQueueCores: 1.5 } },
    ['run-queue: k6 had 0.3 cores and waited for 1.5 more'],
  ],
  [
    'others use some of its cores, VUs still wake in time, and the target has room',
    { broken: ['latency'], excessMs: 94, generatorLagMs: 9, generator: STARVED, target: ROOM },
    ['run-queue: k6 had 1.1 cores and waited for 0.75 more'],
  ],
  [
    'others have its core for a part of the trial',
    {
      broken: ['latency'],
      excessMs: 218,
      generatorLagMs: 9,
      generator: { cpuCores: 0.46, cpuCoresMax: 1, runQueueCores: 0.34 },
      target: ROOM,
    },
    ['run-queue: k6 had 0.46 cores and waited for 0.34 more'],
  ],
  [
    'its cores are busy, VUs still wake in time, and the target reports nothing',
    { broken: ['latency'], excessMs: 2500, generatorLagMs: 9, generator: FULL_CPU },
    ['cpu: k6 kept 1.8 of its 2 available cores busy'],
  ],
  [
    'its cores are busy, and the lag of VUs is unknown',
    { broken: ['latency'], excessMs: 9000, generatorLagMs: null, generator: FULL_CPU },
    ['cpu: k6 kept 1.8 of its 2 available cores busy'],
  ],
  [
    'its container has a limit of cores that stops it, and latencies are too long by what that makes',
    { broken: ['latency'], excessMs: 160, generatorLagMs: 41, generator: { throttledShare: 0.05 } },
    ['throttled: the CPU limit throttled k6 in 5 % of its active periods'],
  ],
  [
    'a limit of cores stops it much of the time, however long latencies are',
    { broken: ['latency'], excessMs: 652, generatorLagMs: 135, generator: { throttledShare: 0.76 } },
    ['throttled: the CPU limit throttled k6 in 76 % of its active periods'],
  ],
  [
    'its VUs wake late',
    { broken: ['latency'], excessMs: 300, generatorLagMs: 120 },
    ['lag: k6 woke its VUs up to 120 ms late (p99)'],
  ],
  [
    'it offers its load late, though all objectives hold',
    { generatorLagMs: 100, generator: FULL_CPU },
    ['lag: k6 woke its VUs up to 100 ms late (p99)'],
  ],
  [
    'it may not open more files',
    { broken: ['errors'], generator: { openFilesMax: 951 } },
    ['files: k6 had 951 of 1,000 allowed files open'],
  ],
  [
    'there are no ports left, and VUs wait for one',
    { broken: ['errors', 'dropped'], generator: { portsUsedMax: 28_000 } },
    [
      'vus: all 50 VUs were busy, at latencies within the limits',
      'ports: 28,000 of the 28,232 ephemeral ports were in use',
    ],
  ],
  [
    'it shares a full machine with a target that reports nothing',
    { broken: ['latency'], excessMs: 3000, generator: { machineBusy: 0.97 } },
    ['shared-machine: the machine was 97 % busy, and the target runs on it too'],
  ],
  [
    'it shares a full machine with a target that has room, though its event loop is late as well',
    {
      broken: ['latency'],
      excessMs: 3000,
      generator: { machineBusy: 1 },
      target: { cpuCores: 0.5, eventLoopLagMs: 80, queueMax: 0 },
    },
    ['shared-machine: the machine was 100 % busy, and the target runs on it too'],
  ],
  [
    'others take the core of a target, so that its queue grows',
    {
      broken: ['latency', 'dropped'],
      excessMs: 529,
      generatorLagMs: 103,
      generator: { machineBusy: 1, runQueueCores: 1.24, cpuCores: 0.22 },
      target: { cpuCores: 0.18, eventLoopLagMs: 450, queueMax: 165 },
    },
    [
      'run-queue: k6 had 0.22 cores and waited for 1.2 more',
      'shared-machine: the machine was 100 % busy, and the target runs on it too',
    ],
  ],
]

test.each(TO_BLAME)('the generator is at fault if %s', (_, change, listed) => {
  expect(blamed(change)).toEqual(listed)
})

const NOT_TO_BLAME: [string, Change][] = [
  ['nothing is wrong', {}],
  ['it is busy, and all objectives hold', { generator: { ...FULL_CPU, machineBusy: 1, openFilesMax: 999 } }],
  ['the target is slow, and k6 has nothing to do', { broken: ['latency'], excessMs: 20 }],
  [
    'all VUs wait on the target, beyond the limits',
    { broken: ['latency', 'dropped', 'throughput'], excessMs: 2000 },
  ],
  ['all VUs wait for events that are late', { broken: ['feed', 'dropped'], excessMs: 2000 }],
  [
    'latencies are longer by far than a busy k6 makes them, and the target shows its queue',
    {
      broken: ['latency', 'throughput'],
      excessMs: 2500,
      generatorLagMs: 90,
      generator: { ...FULL_CPU, machineBusy: 0.94 },
      target: QUEUE,
    },
  ],
  [
    'latencies are longer by far than some waiting for a core makes them, and the target shows its queue',
    { broken: ['latency'], excessMs: 2500, generatorLagMs: 20, generator: STARVED, target: QUEUE },
  ],
  [
    'latencies are longer by far than little waiting for a core makes them',
    {
      broken: ['latency'],
      excessMs: 2500,
      generatorLagMs: 20,
      generator: { cpuCores: 1.6, cpuCoresMax: 2, runQueueCores: 0.3 },
    },
  ],
  [
    'it may use a part of one core, and each of its wake-ups waits a little on a busy node',
    {
      broken: ['latency'],
      excessMs: 111,
      generatorLagMs: 9,
      generator: { cpuCores: 0.046, cpuCoresMax: 0.3, runQueueCores: 0.1 },
      target: { cpuCores: 0.1, eventLoopLagMs: 44, queueMax: 37 },
    },
  ],
  [
    'latencies are longer by far than a limit of cores makes them',
    { broken: ['latency'], excessMs: 160, generatorLagMs: 39, generator: { throttledShare: 0.24 } },
  ],
  [
    'a limit of cores stops it much of the time, and the target shows its queue',
    {
      broken: ['latency'],
      excessMs: 2500,
      generatorLagMs: 39,
      generator: { throttledShare: 0.6 },
      target: QUEUE,
    },
  ],
  [
    'a limit of cores stops it rarely',
    { broken: ['latency'], excessMs: 10, generatorLagMs: 41, generator: { throttledShare: 0.049 } },
  ],
  ['a limit of cores stops it, and all objectives hold', { generator: { throttledShare: 0.6 } }],
  [
    'the target responds with errors, whatever else is wrong',
    { broken: ['errors', 'latency'], excessMs: 90, generatorLagMs: 500, generator: FULL_CPU },
  ],
  ['the target refuses, and VUs run out', { broken: ['rate-limited', 'dropped'] }],
  ['fewer iterations end than begin, and VUs are left', { broken: ['throughput'] }],
  [
    'the machine is full, and the target has a queue that is longer than it is late',
    {
      broken: ['latency'],
      excessMs: 3000,
      generator: { machineBusy: 1 },
      target: QUEUE,
    },
  ],
  [
    'the machine is full, and the target has all of its one core',
    {
      broken: ['latency'],
      excessMs: 3000,
      generator: { machineBusy: 1 },
      target: { cpuCores: 0.97, eventLoopLagMs: 80, queueMax: null },
    },
  ],
  [
    'the machine is full, and the target is on another',
    { broken: ['latency'], excessMs: 3000, generator: { machineBusy: 1 }, isTargetLocal: false },
  ],
  [
    'nothing is known of it',
    {
      broken: ['latency'],
      excessMs: 20,
      generatorLagMs: null,
      generator: Object.fromEntries(Object.keys(HEALTHY).map((key) => [key, null])),
    },
  ],
]

test.each(NOT_TO_BLAME)('the generator is not at fault if %s', (_, change) => {
  const generator = { ...change.generator, cpuCoresMax: change.generator?.cpuCoresMax ?? 2 }
  expect(blamed({ ...change, generator })).toBeNull()
})

test.each([
  ['nothing', null, []],
  ['figures within their limits', { cpuCores: 0.89, eventLoopLagMs: 49, queueMax: 39 }, []],
  [
    'all at its limit',
    { cpuCores: 0.9, eventLoopLagMs: 50, queueMax: 40 },
    [
      "queue: 40 requests waited in the target's queue",
      'cpu: the target has one event loop and kept 0.9 cores busy',
      "event-loop: the target's event loop ran up to 50 ms late (p99)",
    ],
  ],
  ['a busy target of many threads', { cpuCores: 7.5, eventLoopLagMs: null, queueMax: null }, []],
])('target metrics with %s', (_, target, listed) => {
  const found = listTargetLimits({ target, requestsPerSecond: 400 })
  expect(found.map(({ signal, reason }) => `${signal}: ${reason}`)).toEqual(listed)
})

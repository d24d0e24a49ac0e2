import { expect, test } from 'vitest'
import { sampleTrial } from './sample-capacity.ts'
import { listRunnerLimits, type TrialSigns } from './saturation-signals.ts'

const IDLE = {
  ...sampleTrial({ trial: 1, rate: 1, meanMs: 1 }).generator,
  cpuCores: 0.2,
  cpuCoresMax: 1,
  runQueueCores: 0,
  machineBusy: null,
  throttledShare: 0,
}
const BUSY = { ...IDLE, cpuCores: 0.95 }
const THROTTLED = { ...IDLE, throttledShare: 0.5 }

const SLOW: TrialSigns = {
  broken: ['latency'],
  excessMs: 10,
  generatorLagMs: 20,
  vusMax: 100,
  requestsPerSecond: 100,
  generator: { ...IDLE, cpuCores: 1.55, cpuCoresMax: 4, runQueueCores: 3, throttledShare: 0.5 },
  target: null,
  isTargetLocal: false,
}

const runners = (idle: number, ...others: (typeof IDLE)[]) => [...Array(idle).fill(IDLE), ...others]

test('one saturated runner of four explains a slow percentile, which the sum of all hides', () => {
  expect(listRunnerLimits(SLOW, runners(3, BUSY))).toEqual([
    { signal: 'cpu', reason: 'runner 4: k6 kept 0.95 of its 1 available cores busy' },
  ])
})

test('several saturated runners are counted', () => {
  expect(listRunnerLimits(SLOW, runners(2, THROTTLED, THROTTLED))).toEqual([
    {
      signal: 'throttled',
      reason: 'runner 3: the CPU limit throttled k6 in 50 % of its active periods (2 of 4 runners saturated)',
    },
  ])
})

test('one saturated runner of forty does not explain a p95', () => {
  expect(listRunnerLimits(SLOW, runners(39, THROTTLED))).toBeNull()
  expect(listRunnerLimits(SLOW, runners(38, THROTTLED, THROTTLED))).not.toBeNull()
})

test('runners that are busy explain no errors', () => {
  expect(listRunnerLimits({ ...SLOW, broken: ['latency', 'errors'] }, runners(0, BUSY, BUSY))).toBeNull()
})

test('signals of all runners together stay', () => {
  const dropped: TrialSigns = { ...SLOW, broken: ['dropped'] }
  expect(listRunnerLimits(dropped, runners(4))).toEqual([
    { signal: 'vus', reason: 'all 100 VUs were busy, at latencies within the limits' },
  ])
})

import type { RunRecord } from '../../contract/run-record.ts'
import { addBuckets, createHistogram } from '../statistics/histogram.ts'
import { bucketSamples } from '../synthetic-run.ts'
import { packHistogram } from './pack-histogram.ts'

export type SimulatedRun = {
  /** Noise of this run: all its latencies are multiplied by it. */
  factor?: number
  /** Multiplies the slowest 2 % again. */
  tailFactor?: number
  failed?: number
  record?: Partial<RunRecord>
}

const SAMPLES = 10_000

/** A run whose latencies are log-normal with a median of 10 ms. Its latencies are drawn from `random`. */
export function simulateRecord(number: number, random: () => number, run: SimulatedRun = {}): RunRecord {
  const { factor = 1, tailFactor = 1, failed = 0, record = {} } = run
  const samples = Array.from({ length: SAMPLES }, () => {
    const normal = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())
    return 10 * Math.exp(0.5 * normal) * factor * (normal > 2.054 ? tailFactor : 1)
  })
  const latency = createHistogram()
  addBuckets(latency.positive, bucketSamples(samples))
  Object.assign(latency, { count: SAMPLES, min: Math.min(...samples), max: Math.max(...samples) })
  return {
    record: 1,
    id: `run-${String(number).padStart(4, '0')}`,
    job: 'load',
    startedAt: new Date(Date.UTC(2026, 0, 1) + number * 3_600_000).toISOString(),
    target: 'staging',
    release: `v1.${number}.0`,
    commit: null,
    mix: 'reads',
    arrivals: 'even',
    rate: 50,
    seed: 1,
    world: null,
    choices: null,
    machine: '2 cores',
    versions: { breakwater: '0.1.0', k6: 'k6 v2.2.0' },
    seconds: 60,
    failed,
    axis: null,
    objectives: null,
    capacity: null,
    latency: packHistogram(latency),
    ...record,
  }
}

/** A number from a normal distribution with mean 0 and deviation 1. */
export function drawNormal(random: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())
}

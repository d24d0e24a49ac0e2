import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { uniformFloat64 } from 'pure-rand/distribution/uniformFloat64'
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus'
import type { TrialFacts } from '../../contract/capacity.ts'
import { RUN_FILES, type Run } from '../../contract/run.ts'
import { GENERATOR_LAG, LOAD_START } from '../../contract/scenario-config.ts'
import type { SeriesPoint } from '../../contract/series.ts'
import { bucketSamples, makeSyntheticRun, SYNTHETIC_START } from '../synthetic-run.ts'

export type Served = {
  /** Completed iterations of one request each. */
  requests: number
  meanMs: number
  failed?: number
  rateLimited?: number
  dropped?: number
  generatorLagMs?: number
}

/** `second` counts from the start of the trial, including the warm-up. */
export type SyntheticTarget = (load: { rate: number; second: number; random: () => number }) => Served

export type SyntheticTrial = { rate: number } & Partial<TrialFacts>

/**
 * Writes the folder of a capacity search for tests and benchmarks; the same options give the same bytes. Latencies
 * are exponential around the mean of the target. Returns the trials.
 */
export async function makeSyntheticCapacityRun(options: {
  dir: string
  seed: number
  target: SyntheticTarget
  trials: readonly SyntheticTrial[]
  run?: Partial<Run>
}): Promise<TrialFacts[]> {
  const { dir, seed, target, run } = options
  await makeSyntheticRun({
    dir,
    seed,
    seconds: 0,
    samplesPerSecond: 0,
    series: [],
    run: { ...RUN, ...run },
  })
  const generator = xoroshiro128plus(seed)
  const random = () => uniformFloat64(generator)
  const trials = planTrials(options.trials)
  const points = trials.flatMap(({ facts, start }) => generatePoints({ facts, start, target, random }))
  const lines = [HEADER, ...points, END].map((line) => `${JSON.stringify(line)}\n`)
  await writeFile(path.join(dir, RUN_FILES.series), lines.join(''))
  const facts = trials.map((trial) => trial.facts)
  await writeFile(
    path.join(dir, RUN_FILES.trials),
    facts.map((trial) => `${JSON.stringify(trial)}\n`).join(''),
  )
  return facts
}

const LOAD_MAX = 0.98

/** A single-server queue with evenly spaced arrivals and unlimited VUs. */
export function queueTarget(serviceRate: number): SyntheticTarget {
  const serviceMs = 1000 / serviceRate
  return ({ rate, second }) => {
    // At the service rate itself the queue would be infinite.
    const load = Math.min(rate / serviceRate, LOAD_MAX)
    if (rate <= serviceRate) return { requests: rate, meanMs: serviceMs * (1 + load / (2 * (1 - load))) }
    const behind = (rate - serviceRate) * (second + 0.5)
    return { requests: serviceRate, meanMs: serviceMs * (1 + behind) }
  }
}

/** The Universal Scalability Law in an open model: the concurrency that serves the rate, if there is one. */
export function scalingTarget(law: { lambda: number; sigma: number; kappa: number }): SyntheticTarget {
  const throughputAt = (n: number) => (law.lambda * n) / (1 + law.sigma * (n - 1) + law.kappa * n * (n - 1))
  return ({ rate, second }) => {
    for (let n = 0.01; n < 10_000; n *= 1.0005) {
      if (throughputAt(n) >= rate) return { requests: rate, meanMs: (1000 * n) / rate }
      if (throughputAt(n * 1.0005) < throughputAt(n)) break
    }
    return { requests: rate / 2, meanMs: 1000 * (1 + second) }
  }
}

const HEADER = { type: 'header', format: 1, k6: '2.2.0', start: '2026-01-02T03:04:05.000Z', scale: 7 }
const END = { type: 'end', time: '2026-01-02T04:04:05.000Z', samples: 0 }

const RUN: Partial<Run> = {
  job: 'capacity',
  command: 'breakwater capacity --target synthetic.json',
  mix: 'reads',
  machine: '4 x synthetic, linux x64, 16 GiB',
  slo: { name: 'synthetic', objectives: [{ routeGroup: '*', quantile: 0.95, latencyMsMax: 100 }] },
  search: {
    secondsMax: 300,
    requestsMax: null,
    relativeWidth: 0.05,
    trialSeconds: 5,
    finalSeconds: 5,
    rateMax: null,
    stages: null,
    rateRequired: null,
  },
}

/** Two seconds apart, in which k6 starts. */
function planTrials(trials: readonly SyntheticTrial[]): { facts: TrialFacts; start: number }[] {
  let start = SYNTHETIC_START
  return trials.map((trial, index) => {
    const warmUpSeconds = trial.warmUpSeconds ?? 1
    const seconds = trial.seconds ?? 5
    const judgedFrom = start + Math.ceil(warmUpSeconds)
    const facts: TrialFacts = {
      trial: index + 1,
      phase: 'search',
      rateFrom: null,
      warmUpSeconds,
      seconds,
      judgedFrom,
      judgedTo: judgedFrom + Math.floor(seconds),
      ended: 'completed',
      reason: null,
      instances: 1,
      vusMax: Math.ceil(trial.rate),
      generator: HEALTHY,
      target: null,
      ...trial,
    }
    const planned = { facts, start }
    start = judgedFrom + Math.floor(seconds) + 2
    return planned
  })
}

const HEALTHY: TrialFacts['generator'] = {
  cpuCores: 0.6,
  cpuCoresMax: 4,
  machineBusy: 0.3,
  runQueueCores: 0.02,
  throttledShare: null,
  openFilesMax: 120,
  openFilesLimit: 65_536,
  portsUsedMax: 100,
  portsMax: 28_232,
  residentMbMax: 90,
}

const REQUEST = { name: 'GET /explore/pools', route_group: 'explore', method: 'GET' }

function generatePoints(options: {
  facts: TrialFacts
  start: number
  target: SyntheticTarget
  random: () => number
}): SeriesPoint[] {
  const { facts, start, target, random } = options
  const end = facts.judgedTo ?? start + Math.ceil(facts.warmUpSeconds)
  return Array.from({ length: end - start }, (_, second) => {
    const served = target({ rate: facts.rate, second, random })
    return generateSecond({ served, time: start + second, trial: String(facts.trial), second, random })
  }).flat()
}

function generateSecond(options: {
  served: Served
  time: number
  trial: string
  second: number
  random: () => number
}): SeriesPoint[] {
  const { served, time, trial, second, random } = options
  const { failed = 0, rateLimited = 0, dropped = 0, generatorLagMs = 0.4 } = served
  const own = { time, tags: { trial } }
  const asked = (status: string) => ({ time, tags: { ...REQUEST, status, trial } })
  // Rounds fractional requests randomly, so that 0.5 requests/s is not 0.
  const requests = Math.floor(served.requests + random())
  const kinds = [
    { status: '200', count: requests - failed - rateLimited, failed: false },
    { status: '503', count: failed, failed: true },
    { status: '429', count: rateLimited, failed: false },
  ].filter(({ count }) => count > 0)
  return [
    ...kinds.flatMap(({ status, count, failed: isFailed }) => [
      trend(asked(status), 'http_req_duration', drawSamples(count, served.meanMs, random)),
      point(asked(status), 'http_req_failed', 'rate', count, isFailed ? count : 0),
      point(asked(status), 'http_reqs', 'counter', count, count),
    ]),
    ...(requests > 0
      ? [
          point(own, 'iterations', 'counter', requests, requests),
          trend(own, 'iteration_duration', drawSamples(requests, served.meanMs, random)),
        ]
      : []),
    ...(dropped > 0 ? [point(own, 'dropped_iterations', 'counter', dropped, dropped)] : []),
    trend(own, GENERATOR_LAG, drawSamples(10, generatorLagMs, random)),
    ...(second === 0 ? [{ ...point(own, LOAD_START, 'gauge', 1, time * 1000), last: time * 1000 }] : []),
  ]
}

type Stamp = Pick<SeriesPoint, 'time' | 'tags'>

function point(
  stamp: Stamp,
  metric: string,
  type: SeriesPoint['type'],
  count: number,
  sum: number,
): SeriesPoint {
  return { time: stamp.time, metric, type, contains: 'default', tags: stamp.tags, count, sum }
}

function trend(stamp: Stamp, metric: string, samples: readonly number[]): SeriesPoint {
  const sum = samples.reduce((total, sample) => total + sample, 0)
  return {
    ...point(stamp, metric, 'trend', samples.length, sum),
    contains: 'time',
    min: Math.min(...samples),
    max: Math.max(...samples),
    zero: 0,
    buckets: bucketSamples(samples),
  }
}

function drawSamples(count: number, meanMs: number, random: () => number): number[] {
  return Array.from({ length: count }, () => -meanMs * Math.log(1 - random()) + 1e-6)
}

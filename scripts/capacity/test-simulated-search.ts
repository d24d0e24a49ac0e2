import { uniformFloat64 } from 'pure-rand/distribution/uniformFloat64'
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus'
import type { Capacity, TrialFacts, TrialResult } from '../../contract/capacity.ts'
import { DUE_ITERATIONS, RESPONSE_TIME, type SeriesPoint, SINCE_DUE } from '../../contract/series.ts'
import type { Slo } from '../../contract/slo.ts'
import { conclude } from '../../reports/capacity/conclude.ts'
import { foldTrialResult } from '../../reports/capacity/fold-trial-result.ts'
import { capacitySlo } from '../../reports/judge-slo.ts'
import { createFoldedSeries, foldPoint } from '../../reports/series/fold-series.ts'
import { bucketSamples } from '../../reports/synthetic-run.ts'
import type { Budget } from '../load/with-trials.ts'
import type { SearchPlan } from './next-rate.ts'
import { nextTrial, type PlannedTrial, type SearchEnd } from './search.ts'

export type SimulatedSearch = {
  capacity: Omit<Capacity, 'scalability' | 'scalabilityReason'>
  end: SearchEnd['done']
  trials: TrialResult[]
  secondsUsed: number
  steps: string[]
}

const START_SECONDS = 1.2

export function simulateSearch(options: {
  target: Target
  seed: number
  plan: SearchPlan
  slo: Slo
  secondsMax?: number
  requestsMax?: number | null
  vusMax?: number
}): SimulatedSearch {
  const { plan, slo, secondsMax = 300, requestsMax = null, vusMax = 4000 } = options
  const target = createSimulatedTarget(options.target, options.seed)
  const trials: TrialResult[] = []
  const steps: string[] = []
  const budget: Budget = { secondsMax, secondsUsed: 0, requestsMax, requestsUsed: 0 }
  for (;;) {
    const next = nextTrial({ plan, trials, budget })
    if ('done' in next) {
      const goal = plan
      const capacity = conclude({
        mix: 'simulated',
        results: trials,
        goal,
        budget,
        interrupted: false,
      })
      return { capacity, end: next.done, trials, secondsUsed: budget.secondsUsed, steps }
    }
    target.rest(next.pauseSeconds + START_SECONDS)
    const vus = Math.min(vusMax, Math.ceil(next.rate * 0.75) + 10)
    const judged = runTrial({
      next,
      trial: trials.length + 1,
      served: target.serve({ ...next, vusMax: vus }),
      slo,
      vus,
    })
    trials.push(judged.result)
    budget.secondsUsed += next.pauseSeconds + START_SECONDS + next.warmUpSeconds + judged.result.seconds
    budget.requestsUsed += judged.requests
    const { outcome, reason } = judged.result
    steps.push(`${next.phase} ${next.rate}/s ${next.seconds} s (${next.why}): ${outcome}, ${reason}`)
  }
}

function runTrial(options: { next: PlannedTrial; trial: number; served: Served; slo: Slo; vus: number }): {
  result: TrialResult
  requests: number
} {
  const { next, trial, served, slo, vus } = options
  const from = Math.ceil(next.warmUpSeconds)
  const hopelessAt = hopelessSecond(next, served, slo)
  const to = Math.min(from + Math.floor(next.seconds), hopelessAt)
  const facts: TrialFacts = {
    trial,
    phase: next.phase,
    rate: next.rate,
    rateFrom: null,
    warmUpSeconds: next.warmUpSeconds,
    seconds: next.seconds,
    judgedFrom: from,
    judgedTo: to,
    ended: hopelessAt < from + next.seconds ? 'aborted' : 'completed',
    reason: null,
    instances: 1,
    vusMax: vus,
    generator: IDLE,
    target: null,
  }
  const series = createFoldedSeries({ slo: capacitySlo(slo), slice: { trial, from, to } })
  for (const point of buildPoints(trial, served)) foldPoint(series, point)
  const result = foldTrialResult({ facts, series, seriesComplete: true, isTargetLocal: true })
  return { result, requests: served.arrivals.length }
}

/** Returns the second after which too many slow requests make a pass impossible; detection takes one second. */
function hopelessSecond(next: PlannedTrial, { arrivals }: Served, slo: Slo): number {
  const objective = slo.objectives.find((each) => 'latencyMsMax' in each)
  if (objective === undefined || !('latencyMsMax' in objective)) return Number.POSITIVE_INFINITY
  const slowMax = (1 - objective.quantile) * next.rate * next.seconds
  const slow = arrivals.filter(({ tookSeconds }) => tookSeconds * 1000 > objective.latencyMsMax)
  const ends = slow
    .map(({ atSeconds, tookSeconds }) => atSeconds + tookSeconds)
    .filter((end) => end >= next.warmUpSeconds)
  const last = ends[Math.floor(slowMax)]
  return last === undefined ? Number.POSITIVE_INFINITY : Math.ceil(last) + 1
}

function buildPoints(trial: number, { arrivals, droppedAt }: Served): SeriesPoint[] {
  const bySecond = new Map<number, { tookMs: number[]; errors: number }>()
  for (const { atSeconds, tookSeconds, isError } of arrivals) {
    const second = Math.floor(atSeconds + tookSeconds)
    const sums = bySecond.get(second) ?? { tookMs: [], errors: 0 }
    bySecond.set(second, sums)
    sums.tookMs.push(tookSeconds * 1000)
    sums.errors += isError ? 1 : 0
  }
  const points = [...bySecond].flatMap(([time, { tookMs, errors }]) => {
    const common = {
      time,
      contains: 'default',
      tags: { trial: String(trial), status: '200' },
      count: tookMs.length,
    }
    const took = {
      ...common,
      type: 'trend' as const,
      sum: tookMs.reduce((sum, ms) => sum + ms, 0),
      min: Math.min(...tookMs),
      max: Math.max(...tookMs),
      zero: 0,
      buckets: bucketSamples(tookMs),
    }
    return [
      { ...took, metric: SINCE_DUE },
      { ...took, metric: RESPONSE_TIME },
      { ...took, metric: 'iteration_duration' },
      { ...common, metric: 'http_req_failed', type: 'rate' as const, sum: errors },
      { ...common, metric: 'iterations', type: 'counter' as const, sum: tookMs.length },
    ]
  })
  const countAt = (metric: string) => (at: number) => ({
    time: Math.floor(at),
    metric,
    type: 'counter' as const,
    contains: 'default',
    tags: { trial: String(trial) },
    count: 1,
    sum: 1,
  })
  const due = [...arrivals.map(({ atSeconds }) => atSeconds), ...droppedAt].map(countAt(DUE_ITERATIONS))
  return [...points, ...due, ...droppedAt.map(countAt('dropped_iterations'))]
}

const IDLE: TrialFacts['generator'] = {
  cpuCores: 0.5,
  cpuCoresMax: 4,
  machineBusy: 0.3,
  runQueueCores: 0,
  throttledShare: null,
  openFilesMax: null,
  openFilesLimit: null,
  portsUsedMax: null,
  portsMax: null,
  residentMbMax: null,
}

/** A single-server queue that carries over from trial to trial. */
export type Target = {
  /** Mean, in requests/s. */
  serviceRate: number
  service: 'constant' | 'exponential'
  /** Without it, clients arrive evenly spaced. */
  arrivals?: 'poisson'
  /** Stop-the-world pauses, as for garbage collection. */
  pausesPerMinute?: number
  pauseSeconds?: number
  /** The share of trials in which a noisy neighbor takes half of the machine. */
  disturbedShare?: number
  errorShare?: number
  /** Keeps working on requests of clients that have disconnected. */
  keepsAbandoned?: boolean
}

type Offered = { rate: number; warmUpSeconds: number; seconds: number; vusMax: number }

/** `atSeconds` counts from the start of the load. */
type Arrival = { atSeconds: number; tookSeconds: number; isError: boolean }

type Served = { arrivals: Arrival[]; droppedAt: number[] }

type SimulatedTarget = { serve(offered: Offered): Served; rest(seconds: number): void }

/** Offers loads to a simulated target in turn. All randomness comes from the seed. */
function createSimulatedTarget(target: Target, seed: number): SimulatedTarget {
  const generator = xoroshiro128plus(Math.imul(seed, 0x9e3779b9))
  const random = () => uniformFloat64(generator)
  // Adjacent seeds give similar first numbers: skip those.
  for (let index = 0; index < 16; index += 1) random()
  const exponential = (mean: number) => -mean * Math.log(1 - random())
  const { pausesPerMinute = 0, pauseSeconds = 0.5, disturbedShare = 0, errorShare = 0 } = target
  const betweenPauses = 60 / pausesPerMinute
  let now = 0
  let freeAt = 0
  let nextPause = pausesPerMinute === 0 ? Number.POSITIVE_INFINITY : exponential(betweenPauses)

  function serveOne(at: number, slowness: number): number {
    const mean = slowness / target.serviceRate
    let begin = Math.max(at, freeAt)
    while (begin >= nextPause) {
      begin = Math.max(begin, nextPause + pauseSeconds)
      nextPause += pauseSeconds + exponential(betweenPauses)
    }
    freeAt = begin + (target.service === 'constant' ? mean : exponential(mean))
    return freeAt
  }

  return {
    rest(seconds) {
      now += seconds
    },
    serve({ rate, warmUpSeconds, seconds, vusMax }) {
      const slowness = random() < disturbedShare ? 2 : 1
      const lasts = warmUpSeconds + seconds
      const served: Served = { arrivals: [], droppedAt: [] }
      const ends: number[] = []
      const nextGap = () => (target.arrivals === 'poisson' ? exponential(1 / rate) : 1 / rate)
      for (let atSeconds = 0; atSeconds < lasts; atSeconds += nextGap()) {
        while (ends.length > 0 && (ends[0] ?? 0) <= now + atSeconds) ends.shift()
        if (ends.length >= vusMax) {
          served.droppedAt.push(atSeconds)
          continue
        }
        const end = serveOne(now + atSeconds, slowness)
        ends.push(end)
        served.arrivals.push({
          atSeconds,
          tookSeconds: end - now - atSeconds,
          isError: random() < errorShare,
        })
      }
      now += lasts
      if (target.keepsAbandoned !== true) freeAt = Math.min(freeAt, now)
      return served
    },
  }
}

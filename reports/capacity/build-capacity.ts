import { isLoopback } from '../../contract/addresses.ts'
import {
  type Capacity,
  isOfSockets,
  type MemoryPerSocket,
  type TargetMemory,
  type TrialFacts,
  type TrialResult,
} from '../../contract/capacity.ts'
import type { Run } from '../../contract/run.ts'
import { sloSchema } from '../../contract/slo.ts'
import { percent } from '../objective-text.ts'
import type { FoldedSeries } from '../series/fold-series.ts'
import { busiestTrial } from './capacity-texts.ts'
import { conclude } from './conclude.ts'
import { foldTrialResult } from './fold-trial-result.ts'
import { THRESHOLDS } from './saturation-signals.ts'
import { fitScalability } from './scalability.ts'
import { isTrialMissing } from './trials.ts'

const NO_GOAL = { relativeWidth: 0.05, trialSeconds: 0, finalSeconds: 0, rateMax: null }

const NOT_FITTED = {
  scalability: null,
  scalabilityReason: 'a search over sockets has no throughput by concurrency',
} as const

/**
 * Judges the trials of a run by the objectives that the series were folded for, and draws the conclusion. `slices`
 * belong to the trials, in the same order. Null if the run is neither a search nor a load with a trial or without its trial.
 */
export function buildCapacity(options: {
  run: Run
  trials: readonly TrialFacts[]
  slices: readonly FoldedSeries[]
  /** The whole run, including warm-ups. */
  series: FoldedSeries
  seriesComplete: boolean
  seriesDamaged: boolean
}): Capacity | null {
  const { run, trials, slices, series, seriesComplete, seriesDamaged } = options
  const isMissing = isTrialMissing(run, trials)
  if (run.search === null && trials.length === 0 && !isMissing) return null
  const lastSeen = slices.findLastIndex(({ firstSecond }) => firstSecond !== undefined)
  const { baseUrl } = run.target
  const isTargetLocal = URL.canParse(baseUrl) && isLoopback(baseUrl)
  const results = trials.flatMap((facts, index) => {
    const slice = slices[index]
    if (slice === undefined) return []
    const isFollowed = index < lastSeen && !facts.samplesMissing
    const isWhole = seriesComplete || isFollowed || (!seriesDamaged && reachesEnd(slice, facts))
    return [foldTrialResult({ facts, series: slice, seriesComplete: isWhole, isTargetLocal })]
  })
  return {
    ...conclude({
      mix: run.mix ?? 'unknown',
      axis: run.search?.axis,
      results,
      goal: run.search ?? NO_GOAL,
      budget: computeBudget(run, trials, series),
      interrupted: run.state === 'interrupted' || run.state === 'running',
      failed: run.state === 'failed',
    }),
    ...(isMissing && { limitedBy: null, statement: 'no result: the trial of the load is missing' }),
    ...(isOfSockets(run.search?.axis)
      ? { axis: run.search?.axis, ...NOT_FITTED, ...fitMemory(results) }
      : fitScalability(results)),
  }
}

/**
 * If the series are incomplete, a trial still has all its samples if it was appended whole and another one follows, or if
 * the series of its only k6 continue through its last second: k6 reports its own lag every second.
 */
function reachesEnd(
  { lastSecond }: FoldedSeries,
  { judgedTo, samplesMissing, instances }: TrialFacts,
): boolean {
  if (samplesMissing && instances > 1) return false
  return lastSecond !== undefined && judgedTo !== null && lastSecond >= judgedTo - 1
}

/** A run that did not finish counts until its last judged second. */
function computeBudget(run: Run, trials: readonly TrialFacts[], series: FoldedSeries): Capacity['budget'] {
  const start = Date.parse(run.startedAt)
  const lastJudged = Math.max(start, ...trials.map(({ judgedTo }) => (judgedTo ?? 0) * 1000))
  const end = run.finishedAt === null ? lastJudged : Date.parse(run.finishedAt)
  const secondsUsed = Math.max(0, (end - start) / 1000)
  return {
    secondsMax: run.search?.secondsMax ?? secondsUsed,
    secondsUsed,
    requestsMax: run.search?.requestsMax ?? null,
    requestsUsed: [...series.routes.values()].reduce((sum, { latency }) => sum + latency.count, 0),
  }
}

export function noteCapacity({ search, slo }: Run, judgedBy: string | null): string[] {
  const own = sloSchema.safeParse(slo).data?.name
  if (search === null || judgedBy === null || own === undefined || own === judgedBy) return []
  return [
    `Judged by the objectives ${JSON.stringify(judgedBy)}. The search itself used ${JSON.stringify(own)}, so it may have tried no load near the limit of these.`,
  ]
}

/** A busy machine that explains no missed objective limits no trial, but its figures may be worse than those of the target. */
export function noteBusyMachine(capacity: Capacity | null): string[] {
  const busiest = busiestTrial(capacity?.trials ?? [])
  const busy = busiest?.generator.machineBusy ?? 0
  if (busiest === undefined || busiest.outcome === 'generator-limited' || busy < THRESHOLDS.machineBusy)
    return []
  return [
    `The machine of the load generator was ${percent(Math.min(1, busy))} busy in trial ${busiest.trial}: latencies may include delays of this machine.`,
  ]
}

type MemoryFit =
  | { memoryPerSocket: MemoryPerSocket; memoryReason: null }
  | { memoryPerSocket: null; memoryReason: string }

type Point = { sockets: number; bytes: number }

/** With the memory before the first socket, two more points than a line has parameters. */
const TRIALS_MIN = 3
/** A standard error above this share of the figure means that sockets do not explain the growth. */
const ERROR_SHARE_MAX = 0.2
/** Growth without more sockets, as a share of the growth with them. */
const DRIFT_SHARE_MAX = 0.2
const OPEN_SHARE = 0.99

/**
 * Fits a line to the memory of the target's process by sockets. A process keeps memory that it has freed, so only trials with more
 * sockets than all before count, and the memory before the first one. If it also grows while no more sockets open, such as by a
 * cache or a leak, the cause is unknown.
 */
export function fitMemory(trials: readonly TrialResult[]): MemoryFit {
  const measured = trials.filter(isMeasured)
  const [first] = measured
  if (first === undefined) return omit('the target shows no memory of its process')
  const records = measured.filter(
    (trial, index) => isOpen(trial) && measured.slice(0, index).every((each) => hasFewer(each, trial)),
  )
  const last = records.at(-1)
  if (last === undefined || records.length < TRIALS_MIN)
    return omit(
      `a fit needs ${TRIALS_MIN} trials with more sockets than all before them, and has ${records.length}`,
    )
  const start = { sockets: 0, bytes: first.memory.beforeBytes }
  const { slope, standardError } = fitLine([start, ...records.map(toPoint)])
  if (slope <= 0 || standardError > ERROR_SHARE_MAX * slope)
    return omit('it does not grow evenly with the sockets')
  const later = measured.slice(measured.indexOf(last) + 1)
  const next = later.findIndex((trial) => hasFewer(last, trial))
  const same = later.slice(0, next === -1 ? undefined : next).map(({ memory }) => memory.afterBytes)
  const grown = last.memory.afterBytes - start.bytes
  if (Math.max(0, ...same) - last.memory.afterBytes > DRIFT_SHARE_MAX * grown)
    return omit('it also grows without more sockets')
  return {
    memoryPerSocket: {
      kind: first.memory.kind,
      bytes: slope,
      standardError,
      trials: records.map(({ trial }) => trial),
      socketsMax: last.memory.sockets,
    },
    memoryReason: null,
  }
}

function omit(memoryReason: string): MemoryFit {
  return { memoryPerSocket: null, memoryReason }
}

type MeasuredTrial = TrialResult & { memory: TargetMemory }

function isMeasured(trial: TrialResult): trial is MeasuredTrial {
  return trial.memory !== undefined
}

/** After a cut, sockets are not all open. */
function isOpen({ ended, throughput, rate, recoverWithinSeconds }: TrialResult): boolean {
  return ended === 'completed' && recoverWithinSeconds === undefined && throughput >= OPEN_SHARE * rate
}

function hasFewer(one: MeasuredTrial, other: MeasuredTrial): boolean {
  return one.memory.sockets < other.memory.sockets
}

function toPoint({ memory }: MeasuredTrial): Point {
  return { sockets: memory.sockets, bytes: memory.afterBytes }
}

/** Least squares. */
function fitLine(points: readonly Point[]): { slope: number; standardError: number } {
  const mean = (read: (point: Point) => number) =>
    points.reduce((sum, point) => sum + read(point), 0) / points.length
  const [meanSockets, meanBytes] = [mean(({ sockets }) => sockets), mean(({ bytes }) => bytes)]
  const spread = points.length * mean(({ sockets }) => (sockets - meanSockets) ** 2)
  const slope =
    (points.length * mean(({ sockets, bytes }) => (sockets - meanSockets) * (bytes - meanBytes))) / spread
  const residuals = mean(({ sockets, bytes }) => (bytes - meanBytes - slope * (sockets - meanSockets)) ** 2)
  return { slope, standardError: Math.sqrt((points.length * residuals) / (points.length - 2) / spread) }
}

import { isOfSockets, type TrialFacts, type TrialResult } from '../../contract/capacity.ts'
import type { LatencyMs, ObjectiveResult } from '../../contract/report.ts'
import { judgeSlo } from '../judge-slo.ts'
import { objectiveText, observedText, percent } from '../objective-text.ts'
import type { FoldedSeries } from '../series/fold-series.ts'
import {
  computeMeanExcess,
  computeQuantile,
  createHistogram,
  type Histogram,
  mergeInto,
} from '../statistics/histogram.ts'
import { supportedQuantile } from '../statistics/quantiles.ts'
import {
  countHeld,
  failsByRejections,
  findSocketMisses,
  findUnoffered,
  type Miss,
  readSockets,
} from './fold-sockets.ts'
import {
  type Broken,
  fellBehind,
  listGeneratorLimits,
  listRunnerLimits,
  type TrialSigns,
} from './saturation-signals.ts'

/**
 * Judges a trial from its slice of the series, folded for the objectives of the capacity search. Search and report
 * get the same result.
 */
export function foldTrialResult(options: {
  facts: TrialFacts
  series: FoldedSeries
  seriesComplete: boolean
  isTargetLocal: boolean
}): TrialResult {
  const { facts, series, seriesComplete, isTargetLocal } = options
  const objectives = judgeSlo({ series, seriesComplete })?.objectives ?? []
  const result = judgeTrial({ facts, counts: sumTrialCounts(series), objectives, isTargetLocal })
  // Missing samples are neither a backlog nor a fault of the load generator.
  const isCut = !seriesComplete && facts.ended === 'completed'
  const { partlyJudged: _, ...unjudged } = result
  return isCut && !objectives.some(({ verdict }) => verdict === 'fail')
    ? { ...unjudged, outcome: 'inconclusive', reason: 'samples may be missing: the series is incomplete' }
    : result
}

function sumTrialCounts(series: FoldedSeries): TrialCounts {
  const routes = [...series.routes.values()]
  const sum = (of: (route: (typeof routes)[number]) => number) =>
    routes.reduce((total, route) => total + of(route), 0)
  return {
    due: series.dueIterations,
    iterations: series.iterations,
    iterationDuration: series.iterationDuration,
    dropped: series.droppedIterations,
    requests: sum(({ latency }) => latency.count),
    failed: sum(({ failed }) => failed),
    rateLimited: sum(({ rateLimited }) => rateLimited),
    turnedAway: sum(({ turnedAway }) => turnedAway),
    latency: mergeLatencies(routes.map(({ latency }) => latency)),
    latencySumMs: series.requestMs,
    generatorLag: series.generatorLag,
    feed: series.feed,
  }
}

function mergeLatencies(histograms: readonly Histogram[]): Histogram {
  const all = createHistogram()
  for (const histogram of histograms) mergeInto(all, histogram)
  return all
}

export type TrialCounts = {
  /** Iterations that were due; undefined if k6 did not count them. */
  due: number | undefined
  /** Completed iterations, their total duration (`iteration_duration`), and iterations without a free VU. */
  iterations: number
  iterationDuration: Histogram
  dropped: number
  requests: number
  /** Requests without a response or with 5xx; requests with 429. */
  failed: number
  rateLimited: number
  /** Requests with another 4xx. */
  turnedAway: number
  /** Milliseconds; without dropped iterations. */
  latency: Histogram
  latencySumMs: number
  generatorLag: Histogram
  /** Omitted: no sockets were counted. */
  feed?: FoldedSeries['feed']
}

type Options = {
  facts: TrialFacts
  counts: TrialCounts
  objectives: readonly ObjectiveResult[]
  isTargetLocal: boolean
}

/** Judges a trial. `objectives` are those of the SLO, judged over the same seconds as the counts. */
export function judgeTrial(options: Options): TrialResult {
  const { facts, counts } = options
  const {
    judgedFrom,
    judgedTo,
    reason: _,
    runners: __,
    samplesMissing: ___,
    seconds: secondsPlanned,
    ...known
  } = facts
  const seconds = judgedFrom === null || judgedTo === null ? 0 : Math.max(0, judgedTo - judgedFrom)
  const per = (sum: number, of: number) => (of === 0 ? null : sum / of)
  const latency = (quantile: number) => supportedQuantile(counts.latency, quantile)
  const figures = {
    throughput: (isOfSockets(facts.axis) ? countHeld(facts, counts) : per(counts.iterations, seconds)) ?? 0,
    requestsPerSecond: per(counts.requests, seconds) ?? 0,
    requests: counts.requests,
    dropped: counts.dropped,
    meanMs: per(counts.latencySumMs, counts.requests),
    p50Ms: latency(0.5),
    p95Ms: latency(0.95),
    p99Ms: latency(0.99),
    errorRate: per(counts.failed, counts.requests),
    rateLimited: counts.rateLimited,
    concurrency: per(counts.latencySumMs / 1000, seconds),
    generatorLagMs: computeLagMs(counts.generatorLag),
  }
  return {
    ...known,
    seconds,
    secondsPlanned,
    ...figures,
    ...(!isOfSockets(facts.axis) &&
      counts.due !== undefined && { duePerSecond: per(counts.due, seconds) ?? 0 }),
    ...(isOfSockets(facts.axis) &&
      counts.feed !== undefined && { sockets: readSockets(counts.feed, { rate: facts.rate, seconds }) }),
    ...judge(options, { seconds, ...figures }),
  }
}

type Figures = Pick<TrialResult, 'seconds' | 'generatorLagMs' | 'requestsPerSecond'>

function judge(
  { facts, counts, objectives, isTargetLocal }: Options,
  figures: Figures,
): Pick<TrialResult, 'outcome' | 'reason' | 'partlyJudged'> {
  const { ended, reason } = facts
  if (BROKEN_OFF.includes(ended) || (figures.seconds === 0 && ended !== 'aborted')) {
    return { outcome: 'inconclusive', reason: reason ?? 'the trial was aborted' }
  }
  if (counts.turnedAway > TURNED_AWAY_SHARE_MAX * counts.requests) {
    const share = percent(counts.turnedAway / counts.requests)
    return { outcome: 'inconclusive', reason: `${share} of the requests were rejected with 4xx` }
  }
  const unoffered = isOfSockets(facts.axis) && ended === 'completed' ? findUnoffered(facts, counts) : null
  if (unoffered !== null) return { outcome: 'inconclusive', reason: unoffered }
  const missed = listMisses(objectives, counts)
  const backlog = findBacklog(facts, counts, figures.seconds)
  const misses = [...missed, ...backlog]
  const slow =
    misses.length === 0 ? [] : objectives.filter((objective) => isSlowAsFarAsKnown(objective, counts))
  const signs: TrialSigns = {
    ...facts,
    ...figures,
    broken: [...misses.map(({ broken }) => broken), ...slow.map(() => 'latency' as const)],
    excessMs: computeExcess(objectives, slow, counts),
    isTargetLocal,
  }
  const { runners } = facts
  const limits = runners === undefined ? listGeneratorLimits(signs) : listRunnerLimits(signs, runners)
  if (limits !== null)
    return { outcome: 'generator-limited', reason: limits.map(({ reason }) => reason).join(', ') }
  if (misses.length > 0) {
    // A backlog follows from what the objectives limit.
    const shown = missed.length > 0 ? missed : backlog
    return { outcome: 'fail', reason: shown.map(({ reason }) => reason).join('; ') }
  }
  if (ended === 'aborted')
    return { outcome: 'fail', reason: reason ?? 'the objectives could no longer be met' }
  const open = objectives.find(({ verdict }) => verdict === 'inconclusive')
  if (open === undefined) return { outcome: 'pass', reason: 'all objectives passed' }
  // Clients are not dropped by a target that does not respond either.
  const isPartly = objectives.some(({ verdict, kind }) => verdict === 'pass' && kind !== 'dropped')
  return {
    outcome: 'inconclusive',
    reason: objectiveLine(open),
    ...(isPartly && { partlyJudged: true as const }),
  }
}

/** Clients of a mix send valid requests. If most are rejected, the measured work is not that of the exchange. */
const TURNED_AWAY_SHARE_MAX = 0.5

/** The recorded part of such a trial may be its bad part. */
const BROKEN_OFF: readonly TrialFacts['ended'][] = ['crashed', 'interrupted', 'budget']

const BROKEN_BY_KIND: Readonly<Record<ObjectiveResult['kind'], Broken>> = {
  latency: 'latency',
  synchronize: 'latency',
  recover: 'latency',
  'feed-delay': 'feed',
  errors: 'errors',
  'rate-limited': 'rate-limited',
  dropped: 'dropped',
}

function listMisses(objectives: readonly ObjectiveResult[], counts: TrialCounts): Miss[] {
  return objectives
    .filter(({ verdict }) => verdict === 'fail')
    .map((objective) => ({
      broken: findBroken(objective, counts),
      reason: objectiveLine(objective),
    }))
}

function findBroken(objective: ObjectiveResult, counts: TrialCounts): Broken {
  if (failsByDropsOnly(objective, counts)) return 'dropped'
  return failsByRejections(objective, counts) ? 'errors' : BROKEN_BY_KIND[objective.kind]
}

/** Dropped iterations count as infinite latency; the requests that were sent show if the target was slow. */
function failsByDropsOnly(objective: ObjectiveResult, { latency }: TrialCounts): boolean {
  if (objective.kind !== 'latency' || objective.observedMs !== 'infinite') return false
  return (computeQuantile(latency, objective.quantile) ?? Number.POSITIVE_INFINITY) <= objective.latencyMsMax
}

function objectiveLine(objective: ObjectiveResult): string {
  return `${objectiveText(objective)}: ${observedText(objective)}`
}

/** Too few responses to judge it, and those were slow: an overloaded target responds rarely. */
function isSlowAsFarAsKnown(objective: ObjectiveResult, { latency }: TrialCounts): boolean {
  if (objective.kind !== 'latency' || objective.verdict !== 'inconclusive') return false
  return (computeQuantile(latency, objective.quantile) ?? 0) > objective.latencyMsMax
}

function computeExcess(
  objectives: readonly ObjectiveResult[],
  slow: readonly ObjectiveResult[],
  counts: TrialCounts,
): number | null {
  const failed = objectives.filter(
    (objective) => objective.verdict === 'fail' && !failsByDropsOnly(objective, counts),
  )
  const excesses = [...failed, ...slow].flatMap((objective) => {
    if (!('observedMs' in objective)) return []
    return [milliseconds(objective.observedMs, objective.quantile, counts) - limitMs(objective)]
  })
  return excesses.length === 0 ? null : Math.max(...excesses)
}

function milliseconds(observedMs: LatencyMs, quantile: number, { latency }: TrialCounts): number {
  if (observedMs === null) return computeQuantile(latency, quantile) ?? 0
  return observedMs === 'infinite' ? Number.POSITIVE_INFINITY : observedMs
}

function limitMs(objective: Extract<ObjectiveResult, { observedMs: unknown }>): number {
  if (objective.kind === 'latency') return objective.latencyMsMax
  if (objective.kind === 'recover') return objective.recoverMsMax
  return objective.kind === 'feed-delay' ? objective.feedDelayMsMax : objective.synchronizeMsMax
}

function findBacklog(facts: TrialFacts, counts: TrialCounts, judgedSeconds: number): Miss[] {
  if (isOfSockets(facts.axis)) return findSocketMisses(facts, counts)
  const offered = counts.due ?? offeredRate(facts) * judgedSeconds
  const completed = counts.iterations
  const secondsBeyond = (seconds: number) =>
    computeMeanExcess(counts.iterationDuration, seconds * 1000) / 1000
  const meanSeconds = secondsBeyond(0)
  const unfinishedSeconds = secondsBeyond(facts.warmUpSeconds)
  if (!fellBehind({ offered, completed, meanSeconds, unfinishedSeconds, judgedSeconds })) return []
  const share = Math.round(1000 * (1 - completed / offered)) / 10
  const reason = `${share} % fewer iterations completed than were due (${completed} of ${Math.round(offered)})`
  return [{ broken: 'throughput', reason }]
}

/** The average rate: a stage may ramp. */
function offeredRate({ rate, rateFrom }: TrialFacts): number {
  return rateFrom === null ? rate : (rateFrom + rate) / 2
}

/** Minimum samples of VU wake-ups for a p99. Fewer than for a latency, because they are evenly spaced. */
const WAKINGS_MIN = 100

function computeLagMs(wakings: Histogram): number | null {
  return wakings.count < WAKINGS_MIN ? null : (computeQuantile(wakings, 0.99) ?? null)
}

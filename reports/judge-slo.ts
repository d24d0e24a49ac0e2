import { type Axis, isOfSockets } from '../contract/capacity.ts'
import type { LatencyMs, ObjectiveResult, Report } from '../contract/report.ts'
import { UNMEASURED_REASONS } from '../contract/series.ts'
import { getObjectiveKind, type Objective, type ObjectiveKind, type Slo } from '../contract/slo.ts'
import { type FoldedSeries, UNTAGGED } from './series/fold-series.ts'
import { ALL_ROUTES, type ObjectiveTally, type Tally } from './series/tally.ts'
import { computeRank, countAbove } from './statistics/histogram.ts'
import { samplesNeeded, supportedQuantile } from './statistics/quantiles.ts'

/**
 * Judges the objectives that the series were folded for. If samples are missing, the rest can fail an objective but
 * not pass it.
 */
export function judgeSlo(options: { series: FoldedSeries; seriesComplete: boolean }): Report['slo'] {
  const { series, seriesComplete } = options
  if (series.slo === null) return null
  const results = series.slo.tallies.map((tally) => judgeObjective(tally, series))
  return { name: series.slo.name, objectives: seriesComplete ? results : results.map(withoutPass) }
}

function withoutPass(result: ObjectiveResult): ObjectiveResult {
  if (result.verdict !== 'pass') return result
  return { ...result, verdict: 'inconclusive', reason: 'passed in the recorded part of the run' }
}

function judgeObjective(tally: ObjectiveTally, series: FoldedSeries): ObjectiveResult {
  const { objective, kind, whole } = tally
  const ofWhole = judgeTally(objective, whole)
  const { windows, ...reading } =
    tally.windows === null
      ? { ...ofWhole, windows: null }
      : judgeWindows(objective, wholeWindows(tally.windows, series))
  const unusable = ofWhole.samples === 0 ? whyNoSamples(objective, series) : whyDelayUnreliable(kind, series)
  return {
    ...objective,
    kind,
    ...observed(kind, reading),
    windowSeconds: objective.windowSeconds ?? null,
    windows,
    verdict: unusable === null ? reading.verdict : 'inconclusive',
    samples: ofWhole.samples,
    reason: unusable ?? reading.reason ?? (reading.verdict === 'fail' ? nameCause(tally, series) : null),
  } as ObjectiveResult // as: `observed` has the fields of this kind
}

function observed(kind: ObjectiveTally['kind'], { leastMs, mostMs, rate }: Reading): object {
  const fields: Record<ObjectiveTally['kind'], object> = {
    latency: { observedMs: mostMs },
    errors: { observedErrorRate: rate },
    'rate-limited': { observedRateLimitedRate: rate },
    dropped: { observedDroppedRate: rate },
    'feed-delay': { observedLowerBoundMs: leastMs, observedMs: mostMs },
    synchronize: { observedMs: mostMs },
    recover: { observedMs: mostMs },
  }
  return fields[kind]
}

/** The objective may name a route group that the run does not have. */
function whyNoSamples(objective: Objective, series: FoldedSeries): string {
  const kind = getObjectiveKind(objective)
  if ('routeGroup' in objective && objective.routeGroup !== ALL_ROUTES)
    return nameGroups(objective.routeGroup, series)
  if (kind === 'recover')
    return 'no samples: no open sockets were cut, as --recover-within does in each trial'
  if (kind === 'synchronize') return 'no samples: no client of the run used the feed'
  return kind === 'feed-delay' ? whyNoDelay(series) : 'no samples'
}

/** The route, and for errors the status, behind most of the failed requests of the run; null for those of a window. */
function nameCause({ objective, kind, windows }: ObjectiveTally, { routes }: FoldedSeries): string | null {
  if (windows !== null || !('routeGroup' in objective) || kind === 'latency') return null
  const causes = [...routes.values()]
    .filter(({ routeGroup }) => [ALL_ROUTES, routeGroup].includes(objective.routeGroup))
    .filter(({ name }) => name !== UNTAGGED)
    .flatMap(({ name, failures, rateLimited }) =>
      kind === 'rate-limited'
        ? [{ what: name, count: rateLimited }]
        : [...failures].map(([status, count]) => ({ what: `${name}: ${statusText(status)}`, count })),
    )
  const [most] = causes.sort((one, other) => other.count - one.count)
  return most === undefined ? null : `most often ${most.what} (${most.count} requests)`
}

function statusText(status: string): string {
  return status === '0' ? 'no response' : status
}

/** An event that arrives before its own timestamp proves that the clocks disagree. */
function whyDelayUnreliable(kind: ObjectiveKind, { feedUnmeasured }: FoldedSeries): string | null {
  return kind === 'feed-delay' && feedUnmeasured.has('ahead') ? UNMEASURED_REASONS.ahead : null
}

function nameGroups(routeGroup: string, { routes }: FoldedSeries): string {
  const names = [...new Set([...routes.values()].map((route) => route.routeGroup))].sort()
  const known = names.length === 0 ? 'none' : names.join(', ')
  return `the run has no route group ${JSON.stringify(routeGroup)}; it has ${known}`
}

function whyNoDelay({ feedUnmeasured }: FoldedSeries): string {
  if (feedUnmeasured.size === 0) return 'no samples: no client of the run received an event'
  const reasons = Object.entries(UNMEASURED_REASONS).filter(([why]) => feedUnmeasured.has(why))
  return `no samples: ${reasons.map(([, reason]) => reason).join('; ')}`
}

export type ToCome = { requests: number; iterations: number; events: number; sockets: number }

/**
 * The first objective that fails even if all remaining samples are good. `settledTo`: Unix seconds up to which all
 * samples are in, so earlier windows are final.
 */
export function findHopeless(
  series: FoldedSeries,
  options: { toCome: ToCome; settledTo: number },
): Objective | undefined {
  return series.slo?.tallies.find((tally) => isHopeless({ ...options, tally, series }))?.objective
}

function isHopeless(options: {
  tally: ObjectiveTally
  series: Pick<FoldedSeries, 'slice' | 'firstSecond' | 'lastSecond'>
  toCome: ToCome
  settledTo: number
}): boolean {
  const { tally, series, toCome, settledTo } = options
  const { objective, kind, whole, windows } = tally
  const more = toCome[COMES[kind]]
  if (windows === null) return isBound(objective, whole, more)
  return wholeWindows(windows, series).measured.some(({ endsAt, tally: inWindow }) =>
    isBound(objective, inWindow, endsAt <= settledTo ? 0 : more),
  )
}

const COMES: Readonly<Record<ObjectiveKind, keyof ToCome>> = {
  latency: 'requests',
  errors: 'requests',
  'rate-limited': 'requests',
  dropped: 'iterations',
  'feed-delay': 'events',
  synchronize: 'sockets',
  recover: 'sockets',
}

/** True if the objective fails even with this many more good samples. */
function isBound(objective: Objective, tally: Tally, more: number): boolean {
  const limit = getLimit(objective)
  // NaN without samples, which is above no limit.
  if (!('quantile' in objective)) return tally.bad / (tally.samples + more) > limit
  const samples = tally.least.count + more
  return (
    samples >= samplesNeeded(objective.quantile) &&
    countAbove(tally.least, limit) > samples - computeRank(objective.quantile, samples)
  )
}

/**
 * Judges an objective in each whole window; the worst window is reported. A window with too few samples prevents a
 * pass, because the target may not have responded in it.
 */
function judgeWindows(
  objective: Objective,
  { count, measured }: WholeWindows,
): Reading & Pick<ObjectiveResult, 'windows'> {
  const known = measured
    .map(({ tally }) => judgeTally(objective, tally))
    .filter(({ leastMs, rate }) => leastMs !== null || rate !== null)
    .sort((a, b) => compareSeverity(b, a))
  const failed = known.filter(({ verdict }) => verdict === 'fail').length
  const missing = count - known.length
  const windows = { judged: known.length, failed, inconclusive: missing }
  const none = `no whole window of ${objective.windowSeconds} s was measured`
  const worst = known[0] ?? { ...NO_SAMPLES, reason: none }
  if (failed > 0) return { ...worst, windows }
  if (missing > 0) {
    return { ...worst, ...inconclusive(`${missing} of ${count} windows have too few samples`), windows }
  }
  return { ...(known.find(({ verdict }) => verdict === 'inconclusive') ?? worst), windows }
}

type WholeWindows = { count: number; measured: { endsAt: number; tally: Tally }[] }

/** The number of whole windows, and those with samples: a wrong clock can put billions of empty ones between them. */
function wholeWindows(
  { seconds, origin, byIndex }: NonNullable<ObjectiveTally['windows']>,
  { slice, firstSecond, lastSecond }: Pick<FoldedSeries, 'slice' | 'firstSecond' | 'lastSecond'>,
): WholeWindows {
  const from = slice.from ?? firstSecond
  const to = slice.to ?? (lastSecond === undefined ? undefined : lastSecond + 1)
  if (from === undefined || to === undefined) return { count: 0, measured: [] }
  const first = Math.ceil((from - origin) / seconds)
  const count = Math.max(0, Math.floor((to - origin) / seconds) - first)
  const measured = [...byIndex]
    .filter(([index]) => index >= first && index < first + count)
    .map(([index, tally]) => ({ endsAt: origin + (index + 1) * seconds, tally }))
  return { count, measured }
}

function compareSeverity(a: Reading, b: Reading): number {
  return figure(a.leastMs, a) - figure(b.leastMs, b) || figure(a.mostMs, a) - figure(b.mostMs, b)
}

/** Finite, so that two infinite values compare as equal. */
function figure(ms: LatencyMs, { rate }: Reading): number {
  return ms === null ? (rate ?? 0) : Math.min(toMilliseconds(ms), Number.MAX_VALUE)
}

type Reading = Pick<ObjectiveResult, 'verdict' | 'reason' | 'samples'> & {
  /** Percentile; both are equal except for a feed delay. */
  leastMs: LatencyMs
  mostMs: LatencyMs
  rate: number | null
}

const NO_SAMPLES: Reading = {
  ...inconclusive('no samples'),
  samples: 0,
  leastMs: null,
  mostMs: null,
  rate: null,
}

/** Too few samples never pass and never fail. */
function judgeTally(objective: Objective, tally: Tally): Reading {
  return 'quantile' in objective ? judgeQuantile(objective, tally) : judgeShare(objective, tally)
}

function judgeQuantile(objective: Extract<Objective, { quantile: number }>, tally: Tally): Reading {
  const { quantile } = objective
  const samples = tally.most.count
  const leastMs = supportedQuantile(tally.least, quantile)
  const mostMs = supportedQuantile(tally.most, quantile)
  if (leastMs === null || mostMs === null) {
    const reason = `too few samples (${samples} of ${samplesNeeded(quantile)})`
    return { ...NO_SAMPLES, samples, reason }
  }
  const reading = { leastMs, mostMs, rate: null, samples }
  const limitMs = getLimit(objective)
  if (toMilliseconds(leastMs) > limitMs) return { ...reading, verdict: 'fail', reason: null }
  if (toMilliseconds(mostMs) <= limitMs) return { ...reading, verdict: 'pass', reason: null }
  return {
    ...reading,
    ...inconclusive(
      'the delay is not known precisely enough, because of the clock offset between target and load generator or because event times have a coarse unit, such as whole seconds',
    ),
  }
}

function judgeShare(objective: Exclude<Objective, { quantile: number }>, { samples, bad }: Tally): Reading {
  if (samples === 0) return NO_SAMPLES
  const rate = bad / samples
  const verdict = rate <= getLimit(objective) ? 'pass' : 'fail'
  return { leastMs: null, mostMs: null, rate, samples, verdict, reason: null }
}

function getLimit(objective: Objective): number {
  if ('latencyMsMax' in objective) return objective.latencyMsMax
  if ('errorRateMax' in objective) return objective.errorRateMax
  if ('rateLimitedRateMax' in objective) return objective.rateLimitedRateMax
  if ('droppedRateMax' in objective) return objective.droppedRateMax
  if ('feedDelayMsMax' in objective) return objective.feedDelayMsMax
  if ('recoverMsMax' in objective) return objective.recoverMsMax
  return objective.synchronizeMsMax
}

/** Milliseconds for comparisons; Infinity for `infinite`. */
function toMilliseconds(latencyMs: Exclude<LatencyMs, null>): number {
  return latencyMs === 'infinite' ? Number.POSITIVE_INFINITY : latencyMs
}

function inconclusive(reason: string): Pick<Reading, 'verdict' | 'reason'> {
  return { verdict: 'inconclusive', reason }
}

/**
 * The implicit objectives of a capacity search: error, 429 and dropped rates. A target that rejects or fails is fast,
 * and a client that was dropped sees no latency. Skips kinds that the objectives already have for all routes.
 */
export function capacitySlo(slo: Slo, axis?: Axis): Slo {
  const isGiven = (implied: Objective) =>
    slo.objectives.some(
      (objective) =>
        getObjectiveKind(objective) === getObjectiveKind(implied) &&
        (!('routeGroup' in objective) || objective.routeGroup === ALL_ROUTES),
    )
  const isMeasured = (implied: Objective) => {
    // Sockets that are open send almost no requests.
    // After a cut, a target may reject, as long as it recovers.
    if (axis === 'events' || slo.objectives.some((each) => 'recoverMsMax' in each)) return false
    // Sockets are held until the load ends, so no iteration ends or is dropped.
    return !isOfSockets(axis) || !('droppedRateMax' in implied)
  }
  const added = IMPLIED.filter((each) => isMeasured(each) && !isGiven(each))
  return { ...slo, objectives: [...slo.objectives, ...added] }
}

const IMPLIED: readonly Objective[] = [
  { routeGroup: ALL_ROUTES, errorRateMax: 0.01 },
  { routeGroup: ALL_ROUTES, rateLimitedRateMax: 0.01 },
  { droppedRateMax: 0.01 },
]

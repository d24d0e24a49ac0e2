import type { TrialFacts } from '../contract/capacity.ts'
import { type Finding, findWaiver, hasEnded, type Waiver } from '../contract/finding.ts'
import { matchesGlob } from '../contract/match-glob.ts'
import type { FeedFigures, Report, RuleResult } from '../contract/report.ts'
import type { Rule } from '../contract/rule.ts'
import type { Run } from '../contract/run.ts'
import { UNMEASURED_REASONS } from '../contract/series.ts'
import { buildCapacity, noteBusyMachine, noteCapacity } from './capacity/build-capacity.ts'
import { focusTrial, isTrialMissing, withoutGeneratorFailures } from './capacity/trials.ts'
import { findBottleneck, type TimedTrial } from './find-bottleneck.ts'
import { findChanges } from './find-changes.ts'
import type { Earlier } from './find-earlier-run.ts'
import { judgeLimits, judgeRules } from './judge-rules.ts'
import { judgeRun } from './judge-run.ts'
import { judgeSlo } from './judge-slo.ts'
import type { FoldedSeries } from './series/fold-series.ts'
import { groupRoutes, type RouteGroup } from './series/tally.ts'
import type { Histogram } from './statistics/histogram.ts'
import { getMax, supportedQuantile } from './statistics/quantiles.ts'

/**
 * Builds the report from the parsed files of a run; reads no file itself. `series` has the objectives; `notes` are
 * remarks of the readers.
 */
export function buildReport(options: {
  run: Run
  findings: readonly Finding[]
  series: FoldedSeries
  /** `seriesComplete`: the series has its end line; `seriesDamaged`: it was read only up to a damaged line. */
  seriesComplete: boolean
  seriesDamaged: boolean
  /**
   * Empty unless the run was a search or a held load. `slices` of the series are in the same order; if the trial of a
   * held load is missing, there is one empty slice.
   */
  trials: readonly TrialFacts[]
  slices: readonly FoldedSeries[]
  catalogue: readonly Rule[]
  notes: readonly string[]
  dir: string
  earlier: Earlier
}): Report {
  const { run, series, seriesComplete, seriesDamaged, findings, catalogue, trials, slices } = options
  const judged = judgeRules({ selected: run.rules, findings, catalogue })
  const { rules, notes: waiverNotes } = waiveFailures(judged.rules, run)
  const capacity = buildCapacity({ run, trials, slices, series, seriesComplete, seriesDamaged })
  const focus = focusTrial(capacity)
  const focused = isTrialMissing(run, trials)
    ? (slices[0] ?? series)
    : (slices.find((_, index) => trials[index]?.trial === focus?.trial) ?? series)
  const judgedSlo = judgeSlo({
    series: focused,
    seriesComplete: seriesComplete || focus?.outcome === 'pass',
  })
  const slo = withoutGeneratorFailures(judgedSlo, capacity)
  const { verdict, exitCode, reason } = judgeRun({ run, rules, slo, capacity })
  const {
    version: _version,
    job,
    rules: _rules,
    customRules: _custom,
    waivers: _waivers,
    repro: _repro,
    notes: _notes,
    slo: _slo,
    search: _search,
    ...runFacts
  } = run
  const latency = latencyFigures(focused)
  return {
    version: 1,
    job,
    verdict,
    exitCode,
    rules,
    unknownRules: judged.unknownRules,
    slo,
    capacity,
    changes: findChanges({ dir: options.dir, run, verdict, rules, slo, capacity, latency }, options.earlier),
    limits: judgeLimits(rules, run),
    feed: feedFigures(focused),
    bottleneck: findBottleneck({
      run,
      capacity,
      series,
      seriesComplete,
      loads: listTimedLoads(trials, slices),
    }),
    run: runFacts,
    latency,
    traces: listTraces(series),
    generator: summarizeGenerator(series, seriesComplete),
    notes: [
      ...(verdict === 'pass' || verdict === 'fail' ? [] : [sentence(reason)]),
      ...noteCapacity(run, slo?.name ?? null),
      ...noteBusyMachine(capacity),
      ...noteRun(run),
      ...run.notes,
      ...options.notes,
      ...noteDropped(focused),
      ...noteMix(series),
      ...noteUnknown(judged.unknownRules),
      ...judged.notes,
      ...waiverNotes,
    ],
  }
}

function listTimedLoads(trials: readonly TrialFacts[], slices: readonly FoldedSeries[]): TimedTrial[] {
  return slices.flatMap(({ serverTimes: times }, index) => {
    const { trial, rate } = trials[index] ?? {}
    return trial === undefined || rate === undefined ? [] : [{ trial, rate, times }]
  })
}

function listTraces({ routes }: FoldedSeries): Report['traces'] {
  return [...routes.values()]
    .flatMap(({ routeGroup, name, slowest }) =>
      slowest.map((trace) => ({ routeGroup, name, ...trace, at: new Date(trace.at * 1000).toISOString() })),
    )
    .sort((a, b) => b.ms - a.ms)
}

function summarizeGenerator(series: FoldedSeries, complete: boolean): Report['generator'] {
  const { firstSecond, lastSecond, iterations, droppedIterations } = series
  const routes = [...series.routes.values()]
  return {
    requests: routes.reduce((sum, { latency }) => sum + latency.count, 0),
    failedRequests: routes.reduce((sum, { failed }) => sum + failed, 0),
    iterations,
    droppedIterations,
    measuredSeconds: firstSecond === undefined || lastSecond === undefined ? 0 : lastSecond - firstSecond + 1,
    complete,
  }
}

/** Latency by group of routes and by route. Percentiles with too few requests are null. */
function latencyFigures(series: FoldedSeries): Report['latency'] {
  return {
    groups: groupRoutes(series).map(({ routeGroup, ...figures }) => ({
      routeGroup,
      ...summarizeRequests(figures),
    })),
    routes: [...series.routes.values()]
      .map(({ routeGroup, name, ...figures }) => ({ routeGroup, name, ...summarizeRequests(figures) }))
      .sort((a, b) => (`${a.routeGroup}\n${a.name}` < `${b.routeGroup}\n${b.name}` ? -1 : 1)),
  }
}

function summarizeRequests(options: Pick<RouteGroup, 'latency' | 'responseTime' | 'lateness' | 'failed'>) {
  const { latency, responseTime, lateness, failed } = options
  return {
    count: latency.count - latency.infinite,
    failed,
    ...percentiles(latency),
    max: getMax(latency),
    responseTime: percentiles(responseTime),
    lateness: lateness.count === 0 ? null : percentiles(lateness),
  }
}

function percentiles(histogram: Histogram) {
  return {
    p50: supportedQuantile(histogram, 0.5),
    p95: supportedQuantile(histogram, 0.95),
    p99: supportedQuantile(histogram, 0.99),
  }
}

/**
 * Adds the waiver to each failure that has one on the day of the run, so that a later rendering gives the same
 * result. Also returns notes on the waivers themselves.
 */
export function waiveFailures(
  rules: readonly RuleResult[],
  { waivers, startedAt }: Pick<Run, 'waivers' | 'startedAt'>,
): { rules: RuleResult[]; notes: string[] } {
  const day = startedAt.slice(0, 10)
  const waived = rules.map((rule) =>
    rule.verdict === 'fail' ? { ...rule, waiver: shown(findWaiver(rule.id, waivers, day)) } : rule,
  )
  return { rules: waived, notes: waivers.flatMap((waiver) => listWaiverNotes(waiver, waived, day)) }
}

function shown(waiver: Waiver | null): RuleResult['waiver'] {
  return waiver === null ? null : { reason: waiver.reason, until: waiver.until }
}

function listWaiverNotes(waiver: Waiver, rules: readonly RuleResult[], day: string): string[] {
  const { rule, until, reason } = waiver
  const those = rules.filter(({ id }) => matchesGlob(rule, id))
  const failed = those.some(({ verdict }) => verdict === 'fail')
  if (hasEnded(waiver, day)) return [`The waiver of ${rule} ended on ${until} and counts no more: ${reason}.`]
  if (failed || those.length === 0 || those.some(({ verdict }) => verdict !== 'pass')) return []
  return [`The waiver of ${rule} until ${until} is not needed any more: nothing of it failed.`]
}

/** A search stops k6 on purpose, so only the state of the run counts there. */
function noteRun({ state, k6, search }: Run): string[] {
  const ofK6 = search === null && state !== 'running'
  return [
    state === 'running' && 'run.json still says "running": the command was killed or has not finished.',
    ofK6 && k6 === null && 'k6 never ran.',
    k6 !== null && k6.exitCode !== 0 && `k6 exited with ${k6.exitCode ?? 'no exit code'}: ${k6.meaning}.`,
  ].filter((note) => typeof note === 'string')
}

function noteDropped({ droppedIterations: dropped }: FoldedSeries): string[] {
  if (dropped === 0) return []
  return [
    `The load generator could not start ${dropped} iterations in time: they count as requests with infinite latency in the figures of all requests.`,
  ]
}

/** If clients were rejected at sign-in, the load is lower and latencies look good. */
function noteMix({ mixClients }: FoldedSeries): string[] {
  const all = [...mixClients.values()].reduce((sum, count) => sum + count, 0)
  const [absent, unauthorized] = ['sign-in-failed', 'unauthorized'].map((end) => mixClients.get(end) ?? 0)
  if (!absent && !unauthorized) return []
  return [
    `${absent} of ${all} clients of the mix could not sign in and ${unauthorized} left because they were unauthorized (401, 403): the load was lower than the mix specifies.`,
  ]
}

function noteUnknown(unknownRules: readonly string[]): string[] {
  if (unknownRules.length === 0) return []
  return [`Findings for rules that are not in the catalogue were ignored: ${unknownRules.join(', ')}.`]
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`
}

/** Feed figures of all clients, with each percentile that enough samples support; else null. */
export function feedFigures({
  feed,
  feedUnmeasured,
}: Pick<FoldedSeries, 'feed' | 'feedUnmeasured'>): FeedFigures | null {
  const { delayLowerBound, delayUpperBound, synchronize, sockets, connects, received, sent } = feed
  const figures: FeedFigures = {
    delay:
      delayUpperBound.count === 0
        ? null
        : {
            lowerBound: summarizeHistogram(delayLowerBound),
            upperBound: summarizeHistogram(delayUpperBound),
          },
    unmeasured: [...feedUnmeasured]
      .map(([reason, events]) => ({ reason: reasonText(reason), events }))
      .sort((a, b) => b.events - a.events || (a.reason < b.reason ? -1 : 1)),
    synchronize: synchronize.count === 0 ? null : summarizeHistogram(synchronize),
    sockets: sockets.size === 0 ? null : countSockets(sockets),
    connects: connects.count === 0 ? null : summarizeHistogram(connects),
    messages: received + sent === 0 ? null : { received, sent },
  }
  const { unmeasured, ...measured } = figures
  const isEmpty = unmeasured.length === 0 && Object.values(measured).every((part) => part === null)
  return isEmpty ? null : figures
}

function summarizeHistogram(histogram: Histogram) {
  return {
    samples: histogram.count,
    p50: supportedQuantile(histogram, 0.5),
    p95: supportedQuantile(histogram, 0.95),
    p99: supportedQuantile(histogram, 0.99),
    max: getMax(histogram),
  }
}

/** Every other outcome counts as rejected. */
function countSockets(outcomes: ReadonlyMap<string, number>): NonNullable<FeedFigures['sockets']> {
  const { served = 0, unresponsive = 0, ...others } = Object.fromEntries(outcomes)
  return { served, unresponsive, rejected: Object.values(others).reduce((sum, count) => sum + count, 0) }
}

function reasonText(reason: string): string {
  return (
    (UNMEASURED_REASONS as Readonly<Record<string, string>>)[reason] ??
    'unknown reason (written by another version)'
  ) // as: a series may come from another version
}

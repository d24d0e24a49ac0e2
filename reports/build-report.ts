import type { Finding } from '../contract/finding.ts'
import type { Report } from '../contract/report.ts'
import type { Rule } from '../contract/rule.ts'
import type { Run } from '../contract/run.ts'
import { judgeRules } from './judge-rules.ts'
import { judgeRun } from './judge-run.ts'
import type { FoldedSeries } from './series/fold-series.ts'
import { groupRoutes, type RouteGroup } from './series/group-routes.ts'
import { judgeSlo } from './slo/judge-slo.ts'
import type { Histogram } from './statistics/histogram.ts'
import { maxOf, supportedQuantile } from './statistics/quantile-support.ts'
import { waiveFailures } from './waive-failures.ts'

/** Judges what was read of a run folder; touches no file. `series` has the objectives; `notes` are the readers' remarks. */
export function buildReport(options: {
  run: Run
  findings: readonly Finding[]
  series: FoldedSeries
  seriesComplete: boolean
  catalogue: readonly Rule[]
  notes: readonly string[]
}): Report {
  const { run, series, findings, catalogue } = options
  const groups = groupRoutes(series)
  const judged = judgeRules({ selected: run.rules, findings, catalogue })
  const { rules, notes: waiverNotes } = waiveFailures(judged.rules, run)
  const slo = judgeSlo({ series, seriesComplete: options.seriesComplete })
  const { verdict, exitCode, because } = judgeRun({ run, rules, slo })
  const {
    version: _version,
    job,
    rules: _rules,
    ownRules: _own,
    waivers: _waivers,
    repro: _repro,
    slo: _slo,
    search: _search,
    ...runFacts
  } = run
  return {
    version: 1,
    job,
    verdict,
    exitCode,
    rules,
    unknownRules: judged.unknownRules,
    slo,
    capacity: null,
    run: runFacts,
    latency: {
      groups: groups.map(({ routeGroup, ...figures }) => ({ routeGroup, ...latencyOf(figures) })),
      routes: routesOf(series),
    },
    generator: generatorOf(series, groups, options.seriesComplete),
    notes: [
      ...(verdict === 'pass' || verdict === 'fail' ? [] : [sentence(because)]),
      ...noteRun(run),
      ...options.notes,
      ...noteDropped(series),
      ...noteMix(series),
      ...noteUnknown(judged.unknownRules),
      ...judged.notes,
      ...waiverNotes,
    ],
  }
}

function routesOf(series: FoldedSeries): Report['latency']['routes'] {
  return [...series.routes.values()]
    .map(({ routeGroup, name, ...figures }) => ({ routeGroup, name, ...latencyOf(figures) }))
    .sort((a, b) => (`${a.routeGroup}\n${a.name}` < `${b.routeGroup}\n${b.name}` ? -1 : 1))
}

function latencyOf({ latency, failed }: { latency: Histogram; failed: number }) {
  return {
    count: latency.count - latency.infinite,
    failed,
    p50: supportedQuantile(latency, 0.5),
    p95: supportedQuantile(latency, 0.95),
    p99: supportedQuantile(latency, 0.99),
    max: maxOf(latency),
  }
}

function generatorOf(
  series: FoldedSeries,
  [all]: readonly RouteGroup[],
  complete: boolean,
): Report['generator'] {
  const { firstSecond, lastSecond, iterations, droppedIterations } = series
  return {
    requests: all === undefined ? 0 : all.latency.count - all.latency.infinite,
    failedRequests: all?.failed ?? 0,
    iterations,
    droppedIterations,
    measuredSeconds: firstSecond === undefined || lastSecond === undefined ? 0 : lastSecond - firstSecond + 1,
    complete,
  }
}

function noteRun({ state, k6 }: Run): string[] {
  return [
    state === 'running' &&
      'run.json still says "running": the command that made this run was killed, or has not ended yet.',
    k6 === null && state !== 'running' && 'k6 was never run.',
    k6 !== null && k6.exitCode !== 0 && `k6 ended with ${k6.exitCode ?? 'no exit code'}: ${k6.meaning}.`,
  ].filter((note) => typeof note === 'string')
}

function noteDropped({ droppedIterations: dropped }: FoldedSeries): string[] {
  if (dropped === 0) return []
  return [
    `The load generator could not start ${dropped} iterations in time: over all routes they count as requests of infinite latency.`,
  ]
}

/** A load that was turned away at the door shows good latencies. */
function noteMix({ mixClients }: FoldedSeries): string[] {
  const all = [...mixClients.values()].reduce((sum, count) => sum + count, 0)
  const [absent, refused] = ['absent', 'refused'].map((end) => mixClients.get(end) ?? 0)
  if (!absent && !refused) return []
  return [
    `Of ${all} clients of the mix ${absent} could not sign in and ${refused} left because they were refused (401, 403): the load was less than the mix says.`,
  ]
}

function noteUnknown(unknownRules: readonly string[]): string[] {
  if (unknownRules.length === 0) return []
  return [`Findings on rules that the catalogue does not have decide nothing: ${unknownRules.join(', ')}.`]
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`
}

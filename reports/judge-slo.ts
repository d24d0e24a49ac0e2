import type { ObjectiveResult, Report } from '../contract/report.ts'
import type { Objective, Slo } from '../contract/slo.ts'
import { ALL_ROUTES, type RouteGroup } from './series/group-routes.ts'
import { createHistogram } from './statistics/histogram.ts'
import { samplesNeeded, supportedQuantile } from './statistics/quantile-support.ts'

type Judged = Pick<ObjectiveResult, 'verdict' | 'reason'>

/**
 * Judges each objective: pass, fail, or inconclusive with the reason. Where the series lack a part, what was measured can
 * break an objective, but not show that it held.
 */
export function judgeSlo(options: {
  slo: Slo | null
  groups: readonly RouteGroup[]
  seriesComplete: boolean
}): Report['slo'] {
  const { slo, groups, seriesComplete } = options
  if (slo === null) return null
  const results = slo.objectives.map((objective) => judgeObjective(objective, groups))
  return { name: slo.name, objectives: seriesComplete ? results : results.map(doubtPass) }
}

function doubtPass(result: ObjectiveResult): ObjectiveResult {
  return result.verdict === 'pass'
    ? { ...result, ...doubt('held in the part of the run that is known') }
    : result
}

function judgeObjective(objective: Objective, groups: readonly RouteGroup[]): ObjectiveResult {
  const group = groups.find(({ routeGroup }) => routeGroup === objective.routeGroup)
  const unknown = group === undefined ? doubt(nameGroups(objective.routeGroup, groups)) : undefined
  return 'quantile' in objective
    ? judgeLatency(objective, group?.latency ?? createHistogram(), unknown)
    : judgeErrors(objective, group ?? { judged: 0, failed: 0 }, unknown)
}

function judgeLatency(
  objective: Extract<Objective, { quantile: number }>,
  latency: RouteGroup['latency'],
  unknown: Judged | undefined,
): ObjectiveResult {
  const observedMs = supportedQuantile(latency, objective.quantile)
  const judged = unknown ?? judgeObservedMs(observedMs, objective, latency.count)
  return { kind: 'latency', ...objective, observedMs, samples: latency.count, ...judged }
}

function judgeObservedMs(
  observedMs: ReturnType<typeof supportedQuantile>,
  objective: Extract<Objective, { quantile: number }>,
  samples: number,
): Judged {
  if (samples === 0) return doubt('no samples')
  if (observedMs === null)
    return doubt(`too few samples (${samples} of ${samplesNeeded(objective.quantile)})`)
  return verdictOf(observedMs !== 'infinite' && observedMs <= objective.latencyMsMax)
}

function judgeErrors(
  objective: Extract<Objective, { errorRateMax: number }>,
  group: Pick<RouteGroup, 'judged' | 'failed'>,
  unknown: Judged | undefined,
): ObjectiveResult {
  const observedErrorRate = group.judged === 0 ? null : group.failed / group.judged
  const judged =
    unknown ??
    (observedErrorRate === null
      ? doubt('no samples')
      : verdictOf(observedErrorRate <= objective.errorRateMax))
  return { kind: 'errors', ...objective, observedErrorRate, samples: group.judged, ...judged }
}

function verdictOf(held: boolean): Judged {
  return { verdict: held ? 'pass' : 'fail', reason: null }
}

function doubt(reason: string): Judged {
  return { verdict: 'inconclusive', reason }
}

function nameGroups(routeGroup: string, groups: readonly RouteGroup[]): string {
  const names = groups.map((group) => group.routeGroup).filter((name) => name !== ALL_ROUTES)
  const known = names.length === 0 ? 'none at all' : names.join(', ')
  return `the run has no route group ${JSON.stringify(routeGroup)}; it has ${known}`
}

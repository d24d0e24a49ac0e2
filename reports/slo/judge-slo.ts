import { WHY_UNMEASURED } from '../../contract/feed-metrics.ts'
import type { ObjectiveResult, Report } from '../../contract/report.ts'
import { kindOf, type Objective, type ObjectiveKind } from '../../contract/slo.ts'
import type { FoldedSeries } from '../series/fold-series.ts'
import { ALL_ROUTES } from '../series/group-routes.ts'
import type { ObjectiveTally } from '../series/tally.ts'
import { judgeTally, type Reading } from './judge-tally.ts'
import { judgeWindows } from './judge-windows.ts'

/**
 * Judges the objectives that the series were folded for: pass, fail, or inconclusive with the reason. Where the series lack
 * a part, what was measured can break an objective, but not show that it held.
 */
export function judgeSlo(options: { series: FoldedSeries; seriesComplete: boolean }): Report['slo'] {
  const { series, seriesComplete } = options
  if (series.slo === null) return null
  const results = series.slo.tallies.map((tally) => judgeObjective(tally, series))
  return { name: series.slo.name, objectives: seriesComplete ? results : results.map(doubtPass) }
}

function doubtPass(result: ObjectiveResult): ObjectiveResult {
  if (result.verdict !== 'pass') return result
  return { ...result, verdict: 'inconclusive', reason: 'held in the part of the run that is known' }
}

function judgeObjective(tally: ObjectiveTally, series: FoldedSeries): ObjectiveResult {
  const { objective, kind, whole } = tally
  const ofWhole = judgeTally(objective, whole)
  const { windows, ...reading } =
    tally.windows === null ? { ...ofWhole, windows: null } : judgeWindows(tally, series)
  const doubt = ofWhole.samples === 0 ? whyNoSamples(objective, series) : whyDelayInDoubt(kind, series)
  return {
    ...objective,
    kind,
    ...observed(kind, reading),
    windowSeconds: objective.windowSeconds ?? null,
    windows,
    verdict: doubt === null ? reading.verdict : 'inconclusive',
    samples: ofWhole.samples,
    reason: doubt ?? reading.reason,
  } as ObjectiveResult // as: `observed` has the fields of this kind
}

function observed(kind: ObjectiveTally['kind'], { leastMs, mostMs, rate }: Reading): object {
  const fields: Record<ObjectiveTally['kind'], object> = {
    latency: { observedMs: mostMs },
    errors: { observedErrorRate: rate },
    refused: { observedRefusedRate: rate },
    dropped: { observedDroppedRate: rate },
    'feed-delay': { observedLeastMs: leastMs, observedMs: mostMs },
    synchronize: { observedMs: mostMs },
  }
  return fields[kind]
}

/** Why nothing was counted towards an objective: it may name what the run does not have. */
function whyNoSamples(objective: Objective, series: FoldedSeries): string {
  const kind = kindOf(objective)
  if ('routeGroup' in objective && objective.routeGroup !== ALL_ROUTES)
    return nameGroups(objective.routeGroup, series)
  if (kind === 'synchronize') return 'no samples: no client of the run followed the feed'
  return kind === 'feed-delay' ? whyNoDelay(series) : 'no samples'
}

/** An event that is heard before its time shows that the clock by which delays were measured is not that of events. */
function whyDelayInDoubt(kind: ObjectiveKind, { feedUnmeasured }: FoldedSeries): string | null {
  return kind === 'feed-delay' && feedUnmeasured.has('ahead') ? WHY_UNMEASURED.ahead : null
}

function nameGroups(routeGroup: string, { routes }: FoldedSeries): string {
  const names = [...new Set([...routes.values()].map((route) => route.routeGroup))].sort()
  const known = names.length === 0 ? 'none at all' : names.join(', ')
  return `the run has no route group ${JSON.stringify(routeGroup)}; it has ${known}`
}

function whyNoDelay({ feedUnmeasured }: FoldedSeries): string {
  if (feedUnmeasured.size === 0) return 'no samples: no client of the run got an event from the feed'
  const reasons = Object.entries(WHY_UNMEASURED).filter(([why]) => feedUnmeasured.has(why))
  return `no samples: ${reasons.map(([, reason]) => reason).join('; ')}`
}

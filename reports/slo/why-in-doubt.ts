import { WHY_UNMEASURED } from '../../contract/feed-metrics.ts'
import { kindOf, type Objective, type ObjectiveKind } from '../../contract/slo.ts'
import type { FoldedSeries } from '../series/fold-series.ts'
import { ALL_ROUTES } from '../series/group-routes.ts'

/** Why nothing was counted towards an objective: it may name what the run does not have. */
export function whyNoSamples(objective: Objective, series: FoldedSeries): string {
  const kind = kindOf(objective)
  if ('routeGroup' in objective && objective.routeGroup !== ALL_ROUTES)
    return nameGroups(objective.routeGroup, series)
  if (kind === 'synchronize') return 'no samples: no client of the run followed the feed'
  return kind === 'feed-delay' ? whyNoDelay(series) : 'no samples'
}

/** An event that is heard before its time shows that the clock by which delays were measured is not that of events. */
export function whyDelayInDoubt(kind: ObjectiveKind, { feedUnmeasured }: FoldedSeries): string | null {
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

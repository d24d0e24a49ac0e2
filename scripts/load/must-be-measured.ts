import { BreakwaterError } from '../../contract/breakwater-error.ts'
import type { Mix } from '../../contract/mix.ts'
import { routeGroupOf } from '../../contract/mix-requests.ts'
import type { Objective, Slo } from '../../contract/slo.ts'
import { objectiveText } from '../../reports/objective-text.ts'

const ALL = '*'

/**
 * Refuses an objective about what no client of the mix does: no rate could ever be judged by it. What else clients ask for, to
 * sign in and to follow the feed, is known once they do. Throws a BreakwaterError (usage).
 */
export function mustBeMeasured(slo: Slo, mix: Mix, shown: string): void {
  const lost = slo.objectives.find((objective) => !isMeasured(objective, mix))
  if (lost === undefined) return
  const groups = groupsOf(mix)
  throw new BreakwaterError(`${shown}: ${objectiveText(lost)}: the mix ${mix.name} has nothing of it`, {
    hint:
      'routeGroup' in lost
        ? `Its requests are of the route groups ${[...groups].sort().join(', ')}; * is all of them.`
        : 'Only clients with a socket measure the feed: name a mix that has some.',
  })
}

function isMeasured(objective: Objective, mix: Mix): boolean {
  const hasFeed = mix.clients.some(({ feed }) => feed !== null)
  if ('feedDelayMsMax' in objective || 'synchronizeMsMax' in objective) return hasFeed
  if (!('routeGroup' in objective) || objective.routeGroup === ALL) return true
  const groups = groupsOf(mix)
  const signsIn = mix.clients.some(({ credential }) => credential === 'session')
  return hasFeed || signsIn || groups.has(null) || groups.has(objective.routeGroup)
}

function groupsOf(mix: Mix): Set<string | null> {
  return new Set(
    mix.clients.flatMap(({ steps }) => steps.flatMap(({ requests }) => requests)).map(routeGroupOf),
  )
}

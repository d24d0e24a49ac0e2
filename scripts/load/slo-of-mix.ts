import { BreakwaterError } from '../../contract/breakwater-error.ts'
import type { Mix } from '../../contract/mix.ts'
import { routeGroupsOf } from '../../contract/mix-groups.ts'
import type { Choices } from '../../contract/profile.ts'
import type { Objective, Slo } from '../../contract/slo.ts'
import { objectiveText } from '../../reports/objective-text.ts'

/** Throws a BreakwaterError (usage) where an objective is about what no client of the mix does: it could never be judged. */
export function requireSloOfMix(options: {
  slo: Slo
  mix: Mix
  choices: Pick<Choices, 'positionsPath' | 'balancesPath' | 'publicPaths'>
}): void {
  const { slo, mix, choices } = options
  const groups = routeGroupsOf(mix, choices)
  const hasFeed = mix.clients.some(({ feed }) => feed !== null)
  const problems = slo.objectives.flatMap((objective) => {
    const why = whyNever(objective, { groups, hasFeed })
    return why === undefined ? [] : [`${objectiveText(objective)}: ${why}`]
  })
  if (problems.length === 0) return
  throw new BreakwaterError(
    `objectives ${slo.name}: with mix ${mix.name} they cannot be judged: ${problems.join('; ')}`,
    {
      hint: `Requests of the mix are in the route groups *, ${groups.join(', ')}; name other objectives (--slo), or another mix (--mix).`,
    },
  )
}

function whyNever(
  objective: Objective,
  { groups, hasFeed }: { groups: readonly string[]; hasFeed: boolean },
): string | undefined {
  if ('routeGroup' in objective) {
    const { routeGroup } = objective
    return routeGroup === '*' || groups.includes(routeGroup) ? undefined : 'no client asks for that'
  }
  return 'droppedRateMax' in objective || hasFeed ? undefined : 'no client follows the feed'
}

import { BreakwaterError } from '../../contract/breakwater-error.ts'
import { matchesGlob } from '../../contract/match-glob.ts'
import type { FaultPlan } from './fault-plan.ts'
import { nearest } from './nearest.ts'

/** A plan that is right in itself and does not fit the exchange: one line a problem, its path first. */
export class FaultPlanMisfit extends BreakwaterError {
  readonly problems: readonly string[]

  constructor(problems: readonly string[]) {
    super(['the fault plan does not fit this exchange:', ...problems].join('\n  '), {
      hint: 'A route is its method and its path as it is registered, such as GET /pools/:key; * stands for any text.',
    })
    this.name = 'FaultPlanMisfit'
    this.problems = problems
  }
}

/** Throws FaultPlanMisfit with each glob that stands for no route: such a fault would never act, and nobody would know why. */
export function requireKnownRoutes({ faults }: FaultPlan, routes: readonly string[]): void {
  const problems = faults.flatMap((fault, place) =>
    globsOf(fault).flatMap((glob, index) => {
      if (routes.some((route) => matchesGlob(glob, route))) return []
      const meant = nearest(glob, routes, { count: 3 }).join(', ')
      return `faults[${place}].where.routes[${index}]: ${JSON.stringify(glob)} matches no route; the nearest are ${meant}`
    }),
  )
  if (problems.length > 0) throw new FaultPlanMisfit(problems)
}

/** Faults of the feed have other places. */
function globsOf(fault: FaultPlan['faults'][number]): readonly string[] {
  const { where } = fault as { where?: { routes?: readonly string[] } } // as: whichever fault it is
  return where?.routes ?? []
}

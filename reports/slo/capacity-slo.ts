import { kindOf, type Objective, type Slo } from '../../contract/slo.ts'
import { ALL_ROUTES } from '../series/group-routes.ts'

/**
 * What a rate has to meet to count as capacity, beside the objectives that were given: an exchange that refuses, or fails,
 * is quick, and a client that never came finds nothing slow. Left out where the objectives have one of that kind about all.
 */
export function capacitySlo(slo: Slo): Slo {
  const isGiven = (implied: Objective) =>
    slo.objectives.some(
      (objective) =>
        kindOf(objective) === kindOf(implied) &&
        (!('routeGroup' in objective) || objective.routeGroup === ALL_ROUTES),
    )
  return { ...slo, objectives: [...slo.objectives, ...IMPLIED.filter((implied) => !isGiven(implied))] }
}

const IMPLIED: readonly Objective[] = [
  { routeGroup: ALL_ROUTES, errorRateMax: 0.01 },
  { routeGroup: ALL_ROUTES, refusedRateMax: 0.01 },
  { droppedRateMax: 0.01 },
]

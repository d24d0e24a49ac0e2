import type { Mix } from '../../contract/mix.ts'
import { requestsPerIteration } from '../../contract/requests-per-iteration.ts'
import type { Slo } from '../../contract/slo.ts'
import { figure, objectiveText } from '../../reports/objective-text.ts'
import { ALL_ROUTES } from '../../reports/series/group-routes.ts'
import { samplesNeeded } from '../../reports/statistics/quantile-support.ts'

/** Warns of quantiles of all requests that a held load is too short for: they would neither hold nor break. A line each. */
export function tooShort(load: { slo: Slo; mix: Mix; rate: number; seconds: number }): string[] {
  const perSecond = load.rate * requestsPerIteration(load.mix)
  return load.slo.objectives.flatMap((objective) => {
    if (!('latencyMsMax' in objective) || objective.routeGroup !== ALL_ROUTES) return []
    const { quantile, windowSeconds } = objective
    // Shares of clients add up to 1 but for rounding.
    const seconds = Math.ceil(samplesNeeded(quantile) / perSecond - 1e-6)
    if (seconds <= (windowSeconds ?? load.seconds)) return []
    const what = windowSeconds === undefined ? 'a load of' : 'windows of'
    return [
      `${objectiveText(objective)}: will not be judged, as it takes ${samplesNeeded(quantile)} requests: at ${figure(load.rate)} a second ${what} ${seconds} s`,
    ]
  })
}

import type { SearchGoal } from '../../contract/capacity.ts'
import { FINALS_MAX } from '../../reports/capacity/conclude.ts'

/** How a search goes about its goal. Rates are iterations a second. */
export type SearchPlan = SearchGoal & {
  /** The first rate, and the lowest that is tried where that one fails. */
  rateStart: number
  rateMin: number
  /** Of trials far from capacity. */
  shortSeconds: number
  warmUpSeconds: number
  confirmationSeconds: number
  /** Requests that a trial needs for its quantiles to be judged. */
  samplesMin: number
  /** Of an iteration, as the mix has it; trials tell better. */
  requestsPerIteration: number
}

export const SEARCH_DEFAULTS: SearchPlan = {
  relativeWidth: 0.05,
  trialSeconds: 5,
  /** Four trials: two of them show that a load is met, three that it is not. */
  finalSeconds: 20,
  rateMax: null,
  rateStart: 50,
  rateMin: 1,
  shortSeconds: 2,
  warmUpSeconds: 2,
  confirmationSeconds: 20,
  samplesMin: 200,
  requestsPerIteration: 1,
}

/** No trial takes longer, however few requests come. */
export function trialSecondsMax({ confirmationSeconds }: SearchPlan): number {
  return FINALS_MAX * confirmationSeconds
}

/** Requests that bring enough that have ended within the trial: some are still under way then. */
export function requestsNeeded({ samplesMin }: SearchPlan): number {
  return 1.1 * samplesMin
}

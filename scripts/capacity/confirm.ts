import { type Bounds, isConfirmed, type TriedLoad } from '../../reports/capacity/find-bounds.ts'
import { roundRate } from './next-rate.ts'
import type { Wanted } from './next-trial.ts'
import type { SearchPlan } from './search-plan.ts'

/** Of the confirmations at a rate: one that failed is repeated, as a pause of the target's may have hit it. */
const FAILURES_MAX = 2

/** The confirmation at the lower bound; undefined: it was done, or there is no such rate. */
export function confirmation({ lower }: Bounds, plan: SearchPlan): Wanted | undefined {
  return lower === undefined || isConfirmed(lower) ? undefined : confirm(lower.rate, plan, 'confirming')
}

/**
 * Where the rate that the search found does not hold for longer: once more, and then the next rate below, as far below as the
 * search is precise.
 */
export function confirmationBelow(bounds: Bounds, plan: SearchPlan): Wanted | undefined {
  const { loads, lower } = bounds
  const failed = loads.find((load) => failuresOf(load) > 0)
  if (failed === undefined || failed.good || (lower !== undefined && isConfirmed(lower))) return undefined
  if (failuresOf(failed) < FAILURES_MAX) return confirm(failed.rate, plan, 'confirming once more')
  const below = roundRate(failed.rate * (1 - plan.relativeWidth))
  if (lower !== undefined && lower.rate >= below) return confirm(lower.rate, plan, 'confirming a step below')
  return below < plan.rateMin ? undefined : confirm(below, plan, 'confirming a step below')
}

function failuresOf({ results }: TriedLoad): number {
  return results.filter(({ phase, outcome }) => phase === 'confirmation' && outcome !== 'met').length
}

function confirm(rate: number, plan: SearchPlan, why: string): Wanted {
  return { phase: 'confirmation', rate, seconds: plan.confirmationSeconds, why }
}

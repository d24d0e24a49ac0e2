import { BreakwaterError } from '../../contract/breakwater-error.ts'
import { FaultPlanMisfit } from '../../simulator/faults/unknown-routes.ts'

/** Why a stub did not start, thrown anew: where its fault plan does not fit, as a BreakwaterError (usage) that names the plan. */
export function throwMisfit(error: unknown, plan: string | undefined): never {
  if (!(error instanceof FaultPlanMisfit)) throw error
  const { hint, message } = error
  throw new BreakwaterError(`${plan}: ${message}`, { ...(hint !== undefined && { hint }), cause: error })
}

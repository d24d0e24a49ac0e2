/** Of the iterations offered: what may be missing at the end without any other reason. */
const SHORTFALL_SHARE = 0.01
/** Clients come evenly: of those due in whole seconds of the clock, one may come just before, or just after. */
const SHORTFALL_CLIENTS = 1
/** Standard deviations of what is under way. */
const NOISE_DEVIATIONS = 2

/**
 * Whether the target served fewer clients than came, so that the rest was left waiting: a short trial shows overload by
 * that before latency breaks an objective. Clients still under way at either end are expected, so many of them as Little's
 * law gives, and by chance more or fewer: the allowance is their standard deviation, twice.
 */
export function fellBehind(options: {
  offered: number
  completed: number
  /** Of the iterations that ended. */
  meanSeconds: number
  judgedSeconds: number
}): boolean {
  const { offered, completed, meanSeconds, judgedSeconds } = options
  const underWay = (offered / judgedSeconds) * Math.min(meanSeconds, judgedSeconds / 2)
  const allowance = SHORTFALL_CLIENTS + SHORTFALL_SHARE * offered + NOISE_DEVIATIONS * Math.sqrt(2 * underWay)
  return offered - completed > allowance
}

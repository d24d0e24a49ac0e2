/** Share of the offered iterations that may be missing at the end anyway. */
const SHORTFALL_SHARE = 0.01
/** One may complete just outside the whole seconds. */
const SHORTFALL_CLIENTS = 1
const NOISE_DEVIATIONS = 2

/**
 * True if fewer iterations completed than were offered, so that clients wait: in a short trial this shows overload
 * before latency does. As many iterations are in progress at both ends (Little's law), except those that last longer than
 * the warm-up: none of those has completed before it is over. The allowance is two standard deviations of their number.
 */
export function fellBehind(options: {
  offered: number
  completed: number
  meanSeconds: number
  /** The mean of what iterations last longer than the warm-up. */
  unfinishedSeconds: number
  judgedSeconds: number
}): boolean {
  const { offered, completed, meanSeconds, unfinishedSeconds, judgedSeconds } = options
  const rate = offered / judgedSeconds
  const underWay = rate * Math.min(meanSeconds, judgedSeconds / 2)
  const allowance = SHORTFALL_CLIENTS + SHORTFALL_SHARE * offered + NOISE_DEVIATIONS * Math.sqrt(2 * underWay)
  return offered - completed - rate * unfinishedSeconds > allowance
}

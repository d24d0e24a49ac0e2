import type { Capacity, Scalability } from '../../contract/capacity.ts'
import { figure, percent } from '../objective-text.ts'

/** What the fit says, in sentences; or why there is none. Null where no search asked for one. */
export function scalabilityText({ loads, scalability, scalabilityReason }: Capacity): string | null {
  if (scalability !== null) return `${lawText(scalability)} ${peakText(scalability)}`
  return loads.length === 0
    ? null
    : `No fit of the Universal Scalability Law: ${scalabilityReason ?? 'no trial was judged'}.`
}

function lawText({ lambda, sigma, kappa, standardErrors, relativeError, points }: Scalability): string {
  const withError = (value: number, error: number) => `${figure(value)} ± ${figure(error)}`
  return [
    `Universal Scalability Law, by ${points.length} trials, ${percent(relativeError)} off on average:`,
    `λ ${withError(lambda, standardErrors.lambda)} requests a second, one at a time;`,
    `σ ${withError(sigma, standardErrors.sigma)} (contention);`,
    `κ ${withError(kappa, standardErrors.kappa)} (coherency); ± one standard error.`,
  ].join(' ')
}

/** A peak beyond all that was measured is the curve's word alone. */
function peakText({ peak, points, kappa, standardErrors }: Scalability): string {
  if (peak === null) return 'Throughput never falls as more requests are under way.'
  const measured = Math.max(...points.map(({ concurrency }) => concurrency))
  const at = `${figure(peak.requestsPerSecond)} requests a second with ${figure(peak.concurrency)} under way at a time`
  if (kappa < 2 * standardErrors.kappa)
    return `A peak (by the curve, ${at}) is not shown: κ may as well be 0.`
  return peak.concurrency > measured
    ? `By the curve throughput is greatest at ${at}; that is beyond what was measured (${figure(measured)}).`
    : `Throughput is greatest at ${at}.`
}

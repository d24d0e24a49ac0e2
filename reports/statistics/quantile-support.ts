import type { LatencyMs } from '../../contract/report.ts'
import { type Histogram, quantileOf } from './histogram.ts'

/**
 * A quantile is shown only where at least this many samples lie beyond it on either side. With 10, the share of samples
 * beyond the value shown has a standard error of about a third of itself; with fewer it says next to nothing.
 */
const SAMPLES_BEYOND_MIN = 10

/** How many samples a quantile needs: 20 for the median, 200 for p95, 1,000 for p99. */
export function samplesNeeded(quantile: number): number {
  const shareBeyond = Math.min(quantile, 1 - quantile)
  // 10 / (1 - 0.95) is 199.99999999999983 in floating point, 10 / (1 - 0.9) the other way.
  return Math.ceil(SAMPLES_BEYOND_MIN / shareBeyond - 1e-6)
}

/** The quantile in milliseconds, or null where too few samples support it. */
export function supportedQuantile(histogram: Histogram, quantile: number): LatencyMs {
  if (histogram.count < samplesNeeded(quantile)) return null
  return asLatencyMs(quantileOf(histogram, quantile))
}

/** The greatest sample, or null where there is none. */
export function maxOf(histogram: Histogram): LatencyMs {
  return histogram.count === 0 ? null : asLatencyMs(histogram.max)
}

function asLatencyMs(value: number | undefined): LatencyMs {
  if (value === undefined) return null
  return value === Number.POSITIVE_INFINITY ? 'infinite' : value
}

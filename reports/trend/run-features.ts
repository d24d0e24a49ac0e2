/** The distance between two runs of a trend: how far their whole latency distributions and their failures are apart. */
import type { RunRecord } from '../../contract/run-record.ts'
import { computeQuantiles, samplesNeeded } from '../statistics/quantiles.ts'
import type { Distances } from './change-points.ts'
import { unpackHistogram } from './pack-histogram.ts'

/** Evenly spaced by odds, so that a change of the tail alone counts as much as one of the middle. */
const QUANTILES = [0.01, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 0.999]

/** Differences below half a percent are never noise worth scaling by. */
const NOISE_MIN = 0.005

/**
 * One row of numbers per run, on scales where equal differences matter equally: logarithms of percentiles, the share of
 * failures by odds, and the logarithm of a capacity. Percentiles that some run has too few samples for are left out.
 */
export function computeFeatures(records: readonly RunRecord[]): number[][] {
  const histograms = records.map(({ latency }) => unpackHistogram(latency))
  const smallest = Math.min(...histograms.map(({ count }) => count))
  const quantiles = QUANTILES.filter((quantile) => samplesNeeded(quantile) <= smallest)
  return records.map((record, run) => {
    const histogram = histograms[run]
    if (record.capacity !== null) return [Math.log(record.capacity)]
    if (histogram === undefined || histogram.count === 0) return []
    return [
      ...(computeQuantiles(histogram, quantiles) ?? []).map((ms) => Math.log(Math.max(ms, 0.001))),
      logOdds(record.failed, histogram.count),
    ]
  })
}

/** One half more of each keeps a run without failures finite. */
function logOdds(failed: number, count: number): number {
  return Math.log((failed + 0.5) / (count - failed + 0.5))
}

/**
 * Mean absolute difference of the features, each in units of its noise from run to run. The noise is estimated from
 * neighbors in time, so that a step in the series does not hide itself.
 */
export function computeDistances(features: readonly (readonly number[])[]): Distances {
  const width = features[0]?.length ?? 0
  const noise = Array.from({ length: width }, (_, feature) =>
    estimateNoise(features.map((row) => row[feature] ?? 0)),
  )
  return features.map((row) =>
    Float64Array.from(features, (other) => {
      const sum = row.reduce(
        (total, value, at) => total + Math.abs(value - (other[at] ?? 0)) / (noise[at] ?? 1),
        0,
      )
      return width === 0 ? 0 : sum / width
    }),
  )
}

/** Median absolute difference of neighbors, as the standard deviation of one run. */
function estimateNoise(values: readonly number[]): number {
  const steps = values
    .slice(1)
    .map((value, at) => Math.abs(value - (values[at] ?? 0)))
    .sort((one, other) => one - other)
  return Math.max(NOISE_MIN, ((steps[Math.floor(steps.length / 2)] ?? 0) * 1.4826) / Math.SQRT2)
}

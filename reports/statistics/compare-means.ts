import { meanOf, sampleVariance } from './block-bootstrap.ts'
import { criticalT, twoSidedP } from './student-t.ts'

/** One side: a figure of each run, and how far its seconds alone leave that figure uncertain. */
export type SideFigures = {
  values: readonly number[]
  /** Variances by the block bootstrap, a run each. */
  variances: readonly number[]
  /** Blocks that do not overlap, of the shortest run. */
  blocks: number
}

export type MeanDifference = { difference: number; low: number; high: number; pValue: number }

/**
 * The mean over the runs of B less that of A, with its interval. Runs are resampled first, then blocks of seconds in each. The
 * first stage of a mean needs no drawing: over all resamples its variance is s²(n-1)/n². Two corrections make it hold for few
 * runs: n/(n-1), and Student's t with Welch's degrees of freedom in place of the normal distribution. As s², between
 * runs, holds the variance of the seconds in them too, the second stage must not be added to it; it stands in where
 * there is but one run, and keeps s² from being smaller than chance can make it.
 */
export function compareMeans(options: {
  a: SideFigures
  b: SideFigures
  confidence: number
}): MeanDifference {
  const [a, b] = [varianceOfMean(options.a), varianceOfMean(options.b)]
  const difference = meanOf(options.b.values) - meanOf(options.a.values)
  const variance = a.variance + b.variance
  if (variance === 0)
    return { difference, low: difference, high: difference, pValue: difference === 0 ? 1 : 0 }
  const degrees =
    variance ** 2 / (a.variance ** 2 / a.degreesOfFreedom + b.variance ** 2 / b.degreesOfFreedom)
  const standardError = Math.sqrt(variance)
  const reach = criticalT(1 - options.confidence, degrees) * standardError
  return {
    difference,
    low: difference - reach,
    high: difference + reach,
    pValue: twoSidedP(difference / standardError, degrees),
  }
}

type VarianceOfMean = { variance: number; degreesOfFreedom: number }

function varianceOfMean({ values, variances, blocks }: SideFigures): VarianceOfMean {
  const within = meanOf(variances)
  const runs = values.length
  if (runs === 1) return { variance: within, degreesOfFreedom: Math.max(1, blocks - 1) }
  const between = Math.max(sampleVariance(values), within * leastShareByChance(runs - 1))
  return { variance: between / runs, degreesOfFreedom: runs - 1 }
}

/**
 * What a variance from `degreesOfFreedom` falls below only once in 40 times, as a share of the true one: the 0.025 quantile
 * of chi-squared over its degrees of freedom (Wilson and Hilferty 1931).
 */
function leastShareByChance(degreesOfFreedom: number): number {
  const spread = 2 / (9 * degreesOfFreedom)
  return Math.max(0, 1 - spread - 1.96 * Math.sqrt(spread)) ** 3
}

import { meanOf } from './block-bootstrap.ts'
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
 * first stage of a mean needs no drawing: over all resamples its variance is s²(n-1)/n². Three corrections make it hold for
 * few runs: n/(n-1); one s² for both sides, as the runs of one build vary alike; and Student's t in place of the normal
 * distribution. As s², between runs, holds the variance of the seconds in them too, the second stage must not be added
 * to it: it stands in where both sides are a single run, and keeps s² from being smaller than chance can make it.
 */
export function compareMeans(options: {
  a: SideFigures
  b: SideFigures
  confidence: number
}): MeanDifference {
  const { a, b } = options
  const difference = meanOf(b.values) - meanOf(a.values)
  const { variance, degreesOfFreedom } = varianceOfDifference(a, b)
  if (variance === 0)
    return { difference, low: difference, high: difference, pValue: difference === 0 ? 1 : 0 }
  const standardError = Math.sqrt(variance)
  const reach = criticalT(1 - options.confidence, degreesOfFreedom) * standardError
  return {
    difference,
    low: difference - reach,
    high: difference + reach,
    pValue: twoSidedP(difference / standardError, degreesOfFreedom),
  }
}

function varianceOfDifference(
  a: SideFigures,
  b: SideFigures,
): { variance: number; degreesOfFreedom: number } {
  const degreesOfFreedom = a.values.length + b.values.length - 2
  if (degreesOfFreedom === 0) {
    const variance = meanOf(a.variances) + meanOf(b.variances)
    return { variance, degreesOfFreedom: Math.max(1, a.blocks + b.blocks - 2) }
  }
  const between = (squaresOf(a.values) + squaresOf(b.values)) / degreesOfFreedom
  const within = meanOf([...a.variances, ...b.variances])
  const ofRun = Math.max(between, within * leastShareByChance(degreesOfFreedom))
  return { variance: ofRun / a.values.length + ofRun / b.values.length, degreesOfFreedom }
}

/** The sum of the squares of the distances from the mean. */
function squaresOf(values: readonly number[]): number {
  const mean = meanOf(values)
  return values.reduce((sum, value) => sum + (value - mean) ** 2, 0)
}

/**
 * What a variance from `degreesOfFreedom` falls below only once in 40 times, as a share of the true one: the 0.025 quantile
 * of chi-squared over its degrees of freedom (Wilson and Hilferty 1931; the exact one where there is but one).
 */
function leastShareByChance(degreesOfFreedom: number): number {
  const spread = 2 / (9 * degreesOfFreedom)
  return Math.max(0.00098, (1 - spread - 1.96 * Math.sqrt(spread)) ** 3)
}

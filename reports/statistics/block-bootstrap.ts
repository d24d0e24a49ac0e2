import { uniformInt } from 'pure-rand/distribution/uniformInt'
import type { RandomGenerator } from 'pure-rand/types/RandomGenerator'

/** How often each span of a run counts in one resample of it. */
export type Weights = Float64Array

/**
 * Resamples a run by moving blocks (Künsch 1989): as many spans as it has, drawn in blocks of neighbours, so that seconds
 * which depend on each other stay together. Spans are of even length; the last block is cut to fit.
 */
export function resampleBlocks(options: {
  spans: number
  /** In spans. */
  blockLength: number
  resamples: number
  random: RandomGenerator
}): Weights[] {
  const { spans, blockLength, random } = options
  return Array.from({ length: options.resamples }, () => {
    const weights = new Float64Array(spans)
    for (let drawn = 0; drawn < spans; drawn += blockLength) {
      const start = uniformInt(random, 0, spans - blockLength)
      const end = start + Math.min(blockLength, spans - drawn)
      for (let span = start; span < end; span += 1) weights[span] = (weights[span] ?? 0) + 1
    }
    return weights
  })
}

/**
 * Three times the cube root of the length: the rate is the best there is for a variance (Hall, Horowitz and Jing 1995), and three
 * times suits seconds with an autocorrelation of up to 0.7 or so. At most a quarter: fewer than four blocks tell nothing.
 */
export function blockSeconds(seconds: number): number {
  return Math.max(1, Math.min(Math.round(3 * Math.cbrt(seconds)), Math.floor(seconds / 4)))
}

/**
 * The variance of a statistic of one run, from its values in the resamples; values that a resample could not give are passed
 * over. Blocks vary about the run's own mean, not the true one: that is made up for.
 */
export function blockVariance(options: {
  statistic: (weights: Weights) => number
  resampled: readonly Weights[]
  spans: number
  blockLength: number
}): number {
  const { statistic, resampled, spans, blockLength } = options
  const values = resampled.map(statistic).filter(Number.isFinite)
  if (spans <= blockLength || values.length < 2) return 0
  return sampleVariance(values) * (spans / (spans - blockLength))
}

/** The arithmetic mean; NaN of no values. */
export function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}

/** With n - 1 in the denominator. */
export function sampleVariance(values: readonly number[]): number {
  const mean = meanOf(values)
  return values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (values.length - 1)
}

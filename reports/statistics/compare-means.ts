import { uniformInt } from 'pure-rand/distribution/uniformInt'
import type { RandomGenerator } from 'pure-rand/types/RandomGenerator'

/** A figure of each run of one side, and its uncertainty within the run. */
export type SideFigures = {
  values: readonly number[]
  /** Block bootstrap variance of each run. */
  variances: readonly number[]
  /** No estimate for a run may be lower. */
  leastVariance: number
  /** Non-overlapping blocks of the run that has the fewest. */
  blocks: number
}

export type MeanDifference = { difference: number; low: number; high: number; pValue: number }

/**
 * The mean over the runs of B minus that of A, with its interval. Two-stage bootstrap: first runs, then blocks of seconds
 * in each. The first stage of a mean has a closed form: over all resamples its variance is s²(n-1)/n². Three corrections
 * make it valid for few runs: n/(n-1); one s² for both sides, because the runs of one build vary alike; and Student's t
 * instead of the normal distribution. As s² between runs includes the variance within them, the second stage is not added
 * to it: it replaces s² if both sides are a single run, and keeps s² from being too small by chance.
 */
export function compareMeans(options: {
  a: SideFigures
  b: SideFigures
  confidence: number
}): MeanDifference {
  const { a, b } = options
  const difference = computeMean(b.values) - computeMean(a.values)
  const { variance, degreesOfFreedom } = estimateVariance(a, b)
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

function estimateVariance(a: SideFigures, b: SideFigures): { variance: number; degreesOfFreedom: number } {
  const degreesOfFreedom = a.values.length + b.values.length - 2
  if (degreesOfFreedom === 0) {
    const [ofA, ofB] = [a, b].map((side) => Math.max(computeMean(side.variances), side.leastVariance))
    const variance = (ofA ?? 0) + (ofB ?? 0)
    return { variance, degreesOfFreedom: Math.max(1, a.blocks + b.blocks - 2) }
  }
  const between = (sumSquares(a.values) + sumSquares(b.values)) / degreesOfFreedom
  const within = computeMean([...a.variances, ...b.variances])
  const least = (a.leastVariance + b.leastVariance) / 2
  const ofRun = Math.max(between, within * leastShareByChance(degreesOfFreedom), least)
  return { variance: ofRun / a.values.length + ofRun / b.values.length, degreesOfFreedom }
}

function sumSquares(values: readonly number[]): number {
  const mean = computeMean(values)
  return values.reduce((sum, value) => sum + (value - mean) ** 2, 0)
}

/**
 * The share of the true variance that an estimate with `degreesOfFreedom` falls below only once in 40 times: the
 * 2.5th percentile of chi-squared divided by its degrees of freedom (Wilson and Hilferty 1931; exact for one degree).
 */
function leastShareByChance(degreesOfFreedom: number): number {
  const spread = 2 / (9 * degreesOfFreedom)
  return Math.max(0.00098, (1 - spread - 1.96 * Math.sqrt(spread)) ** 3)
}

export function twoSidedP(t: number, degreesOfFreedom: number): number {
  if (Number.isNaN(t)) return 1
  if (!Number.isFinite(t)) return 0
  const sum = degreesOfFreedom + t * t
  return incompleteBeta([degreesOfFreedom / sum, (t * t) / sum], degreesOfFreedom / 2, 0.5)
}

/** The value that is exceeded on either side with total probability `p`: 1.96 for 0.05 and many degrees of freedom. */
export function criticalT(p: number, degreesOfFreedom: number): number {
  let low = 0
  let high = 1
  while (twoSidedP(high, degreesOfFreedom) > p) high *= 2
  for (let step = 0; step < BISECTIONS; step += 1) {
    const middle = (low + high) / 2
    if (twoSidedP(middle, degreesOfFreedom) > p) low = middle
    else high = middle
  }
  return high
}

const BISECTIONS = 60

/**
 * The regularized incomplete beta function at x as a continued fraction (DLMF 8.17.22, Lentz's method). `rest` is 1 - x: near 1, x has too
 * few digits for it.
 */
function incompleteBeta([x, rest]: readonly [x: number, rest: number], a: number, b: number): number {
  if (x <= 0) return 0
  if (rest <= 0) return 1
  // The fraction converges fast only on this side of the mean; the other follows by symmetry.
  if (x > (a + 1) / (a + b + 2)) return 1 - incompleteBeta([rest, x], b, a)
  const front =
    Math.exp(logGamma(a + b) - logGamma(a) - logGamma(b) + a * Math.log(x) + b * Math.log(rest)) / a
  return front * betaFraction(x, a, b)
}

const TERMS_MAX = 500
const PRECISION = 1e-14
const TINY = 1e-300

function betaFraction(x: number, a: number, b: number): number {
  let c = 1
  let d = 1 / nonZero(1 - ((a + b) * x) / (a + 1))
  let fraction = d
  for (let m = 1; m <= TERMS_MAX; m += 1) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m))
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1))
    let factor = 1
    for (const term of [even, odd]) {
      d = 1 / nonZero(1 + term * d)
      c = nonZero(1 + term / c)
      factor = c * d
      fraction *= factor
    }
    if (Math.abs(factor - 1) < PRECISION) break
  }
  return fraction
}

function nonZero(value: number): number {
  return Math.abs(value) < TINY ? TINY : value
}

/** Stirling's series, accurate to 1e-13 from 10 on; smaller arguments are raised first: Γ(x) = Γ(x + 1) / x. */
function logGamma(x: number): number {
  let raised = x
  let product = 1
  while (raised < 10) {
    product *= raised
    raised += 1
  }
  const r = 1 / (raised * raised)
  const series = (1 / 12 - r * (1 / 360 - r * (1 / 1260 - r * (1 / 1680 - r / 1188)))) / raised
  return (raised - 0.5) * Math.log(raised) - raised + 0.5 * Math.log(2 * Math.PI) + series - Math.log(product)
}

/** How often each span of a run occurs in one resample. */
export type Weights = Float64Array

/**
 * Moving block bootstrap (Künsch 1989): draws as many spans as the run has, in blocks of neighbors, so that
 * correlated seconds stay together. Spans have equal length; the last block is cut to fit.
 */
export function resampleBlocks(options: {
  spans: number
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
 * Three times the cube root of the length: the optimal order for a variance (Hall, Horowitz and Jing 1995); the
 * factor suits an autocorrelation between seconds of up to about 0.7. At most a quarter, because fewer than four
 * blocks say nothing.
 */
export function blockSeconds(seconds: number): number {
  return Math.max(1, Math.min(Math.round(3 * Math.cbrt(seconds)), Math.floor(seconds / 4)))
}

/**
 * The variance of a statistic of one run over its resamples; ignores resamples without a value. Corrects for the fact
 * that blocks vary around the run's own mean, not the true one.
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

export function computeMean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}

export function sampleVariance(values: readonly number[]): number {
  const mean = computeMean(values)
  return values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (values.length - 1)
}

/**
 * Adjusts the p values of a family so that the chance of even one false alarm stays below the significance level
 * (Holm 1979). Keeps the order.
 */
export function adjustByHolm(pValues: readonly number[]): number[] {
  const rising = pValues.map((p, index) => ({ p, index })).sort((x, y) => x.p - y.p)
  const adjusted = new Array<number>(pValues.length).fill(1)
  let before = 0
  for (const [rank, { p, index }] of rising.entries()) {
    before = Math.min(1, Math.max(before, p * (pValues.length - rank)))
    adjusted[index] = before
  }
  return adjusted
}

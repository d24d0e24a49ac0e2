import { inverse, Matrix, solve } from 'ml-matrix'
import type { Scalability, TrialResult } from '../../contract/capacity.ts'
import { percent } from '../objective-text.ts'

export type ScalabilityFit =
  | { scalability: Scalability; scalabilityReason: null }
  | { scalability: null; scalabilityReason: string }

/** Requests under way at a time, and requests a second. */
type Point = Scalability['points'][number]

/** Three parameters, and as many points more: with fewer, the error of the fit says nothing. */
const CONCURRENCIES_MIN = 6
/** Concurrencies closer than this, relative to the lower one, are one. */
const CONCURRENCY_STEP = 0.1
/** From the least concurrency to the greatest. */
const SPAN_MIN = 4
/** Requests that never meet say nothing of how they get into each other's way. */
const CONCURRENCY_TOP_MIN = 2
/** A curve that misses its own points by more than this describes something else. */
const RELATIVE_ERROR_MAX = 0.1
/** As many iterations end as begin, but for this share of them. */
const DRIFT_SHARE_MAX = 0.01
/** And but for as many as are under way at a time, and two: a number that grows from nothing grows to twice its average. */
const DRIFT_ITERATIONS = 2
const ERROR_RATE_MAX = 0.01
/** Of the greatest throughput seen: a law of one at a time that is beyond it is made of rounding, or has no end at all. */
const LAMBDA_MAX = 1e6

/**
 * Fits the Universal Scalability Law to the trials in a steady state. N comes by Little's law, which holds in no other. In
 * N/X = (1/λ)(1 + σ(N-1) + κN(N-1)) the law is a sum of 1, N and N(N-1) with factors that are not below zero, so its least
 * squares have one solution, found without a start value. Weights make the error a relative one.
 */
export function fitScalability(trials: readonly TrialResult[]): ScalabilityFit {
  const points = trials.flatMap(steadyPoint)
  const reason = describeLack(points, trials.length)
  if (reason !== null) return { scalability: null, scalabilityReason: reason }
  const scalability = fitPoints(points)
  if (
    !(scalability.lambda < LAMBDA_MAX * Math.max(...points.map(({ requestsPerSecond }) => requestsPerSecond)))
  ) {
    return {
      scalability: null,
      scalabilityReason:
        'throughput only fell as more requests were under way: what one at a time would get did not show',
    }
  }
  if (scalability.relativeError > RELATIVE_ERROR_MAX) {
    return {
      scalability: null,
      scalabilityReason: `the trials do not lie on such a curve: the best one misses their throughput by ${percent(scalability.relativeError)}`,
    }
  }
  return { scalability, scalabilityReason: null }
}

/** Requests a second by the law, with so many under way at a time. */
export function throughputAt(law: Pick<Scalability, 'lambda' | 'sigma' | 'kappa'>, n: number): number {
  return (law.lambda * n) / (1 + law.sigma * (n - 1) + law.kappa * n * (n - 1))
}

/**
 * None where the load was not held, the generator gave out, nothing was judged, errors took the place of answers, or fewer
 * or more iterations ended than began: then requests pile up, or a pile is worked off, and their number is none that goes
 * with a throughput.
 */
function steadyPoint(trial: TrialResult): Point[] {
  const { phase, outcome, rateFrom, rate, seconds, throughput, dropped, errorRate, concurrency } = trial
  const held = phase !== 'warm-up' && (rateFrom === null || rateFrom === rate)
  const drift = Math.abs(throughput - rate) * seconds
  const chance = DRIFT_ITERATIONS + Math.max(concurrency ?? 0, DRIFT_SHARE_MAX * rate * seconds)
  const steady = dropped === 0 && drift <= chance
  const served = (outcome === 'met' || outcome === 'missed') && (errorRate ?? 1) <= ERROR_RATE_MAX
  if (!held || !steady || !served || concurrency === null || concurrency <= 0) return []
  return [{ concurrency, requestsPerSecond: trial.requestsPerSecond, trial: trial.trial }]
}

function describeLack(points: readonly Point[], trials: number): string | null {
  const rising = points.map(({ concurrency }) => concurrency).sort((a, b) => a - b)
  const distinct = countDistinct(rising)
  const top = rising.at(-1) ?? 0
  const span = top / (rising[0] ?? top)
  if (distinct < CONCURRENCIES_MIN) {
    const concurrencies = distinct === 1 ? 'concurrency' : 'concurrencies'
    return `of ${trials} trials ${points.length} held a steady load, at ${distinct} different ${concurrencies}: a fit needs ${CONCURRENCIES_MIN}`
  }
  if (top < CONCURRENCY_TOP_MIN) {
    return `never more than ${top.toPrecision(2)} requests were under way at a time: how they get into each other’s way did not show`
  }
  if (span < SPAN_MIN) {
    return `concurrency rose by a factor of ${span.toPrecision(2)} only, over trials that held a steady load: a fit needs ${SPAN_MIN}`
  }
  return null
}

function countDistinct(rising: readonly number[]): number {
  let distinct = 0
  let last = 0
  for (const concurrency of rising) {
    if (concurrency <= last * (1 + CONCURRENCY_STEP)) continue
    distinct += 1
    last = concurrency
  }
  return distinct
}

type Fitted = { factors: number[]; residual: number }

function fitPoints(points: readonly Point[]): Scalability {
  const ratios = points.map(({ concurrency, requestsPerSecond }) => concurrency / requestsPerSecond)
  // Each row over its own ratio: what is left of 1 is the relative error.
  const rows = points.map(({ concurrency: n }, index) =>
    [1, n, n * (n - 1)].map((term) => term / (ratios[index] ?? 1)),
  )
  const design = new Matrix(rows)
  const { factors, residual } = leastSquares(design)
  const [one = 0, linear = 0, square = 0] = factors
  const lambda = 1 / (one + linear)
  const law = { lambda, sigma: linear * lambda, kappa: square * lambda }
  const variance = residual / (points.length - factors.length)
  const covariance = inverse(design.transpose().mmul(design)).mul(variance)
  return {
    ...law,
    standardErrors: standardErrorsOf(law, covariance),
    relativeError: relativeErrorOf(law, points),
    peak: peakOf(law),
    points: points.toSorted((a, b) => a.concurrency - b.concurrency),
  }
}

/** A term that takes less of the error away has taken rounding away. */
const RESIDUAL_STEP = 1e-12

/** Which of the three terms the law needs: of all choices, the one that fits best with no factor below zero. */
function leastSquares(design: Matrix): Fitted {
  const choices = [[0], [1], [2], [0, 1], [0, 2], [1, 2], [0, 1, 2]]
  const fits = choices.flatMap((columns) => {
    const chosen = design.subMatrixColumn(columns)
    const found = solve(chosen, Matrix.ones(design.rows, 1)).to1DArray()
    if (!found.every((factor) => Number.isFinite(factor) && factor >= 0)) return []
    const factors = [0, 1, 2].map((column) => found[columns.indexOf(column)] ?? 0)
    const residuals = design.mmul(Matrix.columnVector(factors)).sub(1)
    return [{ factors, residual: residuals.to1DArray().reduce((sum, each) => sum + each * each, 0) }]
  })
  return fits.reduce((best, fit) => (fit.residual < best.residual - RESIDUAL_STEP ? fit : best))
}

/**
 * By the delta method, from the factors of all three terms: a σ or κ that came out as 0 has an error too. With s = a + b and
 * factors a, b, c: λ = 1/s, σ = b/s, κ = c/s.
 */
function standardErrorsOf(
  { lambda, sigma, kappa }: Pick<Scalability, 'lambda' | 'sigma' | 'kappa'>,
  covariance: Matrix,
): Scalability['standardErrors'] {
  const errorOf = (gradient: readonly number[]) => {
    const row = Matrix.rowVector([...gradient])
    return Math.sqrt(Math.max(0, row.mmul(covariance).mmul(row.transpose()).get(0, 0)))
  }
  return {
    lambda: errorOf([-lambda * lambda, -lambda * lambda, 0]),
    sigma: errorOf([-sigma * lambda, (1 - sigma) * lambda, 0]),
    kappa: errorOf([-kappa * lambda, -kappa * lambda, lambda]),
  }
}

function relativeErrorOf(
  law: Pick<Scalability, 'lambda' | 'sigma' | 'kappa'>,
  points: readonly Point[],
): number {
  const squares = points.map(
    ({ concurrency, requestsPerSecond }) => (throughputAt(law, concurrency) / requestsPerSecond - 1) ** 2,
  )
  return Math.sqrt(squares.reduce((sum, square) => sum + square, 0) / squares.length)
}

/** Where the derivative is 0 (Gunther 2007, equation 4.33). */
function peakOf(law: Pick<Scalability, 'lambda' | 'sigma' | 'kappa'>): Scalability['peak'] {
  if (law.kappa === 0) return null
  const concurrency = Math.max(1, Math.sqrt((1 - law.sigma) / law.kappa))
  return { concurrency, requestsPerSecond: throughputAt(law, concurrency) }
}

import { inverse, Matrix, solve } from 'ml-matrix'
import type { Scalability, TrialResult } from '../../contract/capacity.ts'
import { percent } from '../objective-text.ts'

export type ScalabilityFit =
  | { scalability: Scalability; scalabilityReason: null }
  | { scalability: null; scalabilityReason: string }

type Point = Scalability['points'][number]

/** Three parameters plus as many more points: with fewer, the error of the fit is meaningless. */
const CONCURRENCIES_MIN = 6
/** Concurrencies closer than this share of the lower one count as one. */
const CONCURRENCY_STEP = 0.1
/** Highest concurrency relative to the lowest. */
const SPAN_MIN = 4
/** Requests that never overlap cannot show contention. */
const CONCURRENCY_TOP_MIN = 2
/** A fit with a larger mean error does not describe the target. */
const RELATIVE_ERROR_MAX = 0.1
/** Allowed difference between started and completed iterations, as a share, */
const DRIFT_SHARE_MAX = 0.01
/** and as a number: the concurrency plus two, because a queue that grows from zero ends at twice its average. */
const DRIFT_ITERATIONS = 2
const ERROR_RATE_MAX = 0.01
/** Relative to the highest throughput. A larger λ is a rounding error, or unbounded. */
const LAMBDA_MAX = 1e6

/**
 * Fits the Universal Scalability Law to the steady trials. N comes from Little's law, which holds only for those. N/X
 * = (1/λ)(1 + σ(N-1) + κN(N-1)) is a linear combination of 1, N and N(N-1) with non-negative factors, so the
 * least-squares solution is unique and needs no start value. The weights make the error relative.
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
      scalabilityReason: 'throughput only fell with concurrency: the throughput at concurrency 1 is unknown',
    }
  }
  if (scalability.relativeError > RELATIVE_ERROR_MAX) {
    return {
      scalability: null,
      scalabilityReason: `the trials do not fit such a curve: the best fit is off by ${percent(scalability.relativeError)}`,
    }
  }
  return { scalability, scalabilityReason: null }
}

export function throughputAt(law: Pick<Scalability, 'lambda' | 'sigma' | 'kappa'>, n: number): number {
  return (law.lambda * n) / (1 + law.sigma * (n - 1) + law.kappa * n * (n - 1))
}

/**
 * None for trials that ramped, that the generator limited, that could not be judged, that had too many errors, or in
 * which iterations did not complete at the rate they started: then a queue grows or shrinks, and its length matches
 * no throughput.
 */
function steadyPoint(trial: TrialResult): Point[] {
  const { phase, outcome, rateFrom, rate, seconds, throughput, dropped, errorRate, concurrency } = trial
  const { duePerSecond = rate } = trial
  const held = phase !== 'warm-up' && (rateFrom === null || rateFrom === rate)
  const drift = Math.abs(throughput - duePerSecond) * seconds
  const chance = DRIFT_ITERATIONS + Math.max(concurrency ?? 0, DRIFT_SHARE_MAX * rate * seconds)
  const steady = dropped === 0 && drift <= chance
  const served = (outcome === 'pass' || outcome === 'fail') && (errorRate ?? 1) <= ERROR_RATE_MAX
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
    return `${points.length} of ${trials} trials held a steady load, at ${distinct} different ${concurrencies}: a fit needs ${CONCURRENCIES_MIN}`
  }
  if (top < CONCURRENCY_TOP_MIN) {
    return `concurrency never exceeded ${top.toPrecision(2)}: contention did not show`
  }
  if (span < SPAN_MIN) {
    return `concurrency rose only by a factor of ${span.toPrecision(2)} over the steady trials: a fit needs ${SPAN_MIN}`
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
  // Each row is divided by its own ratio, so the residual is the relative error.
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
    standardErrors: computeStandardErrors(law, covariance),
    relativeError: computeRelativeError(law, points),
    peak: findPeak(law),
    points: points.toSorted((a, b) => a.concurrency - b.concurrency),
  }
}

/** A term that reduces the error by less only fits rounding errors. */
const RESIDUAL_STEP = 1e-12

/** Tries all subsets of the three terms: the best fit without a negative factor wins. */
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
 * Delta method with the factors of all three terms, so that a σ or κ of 0 has an error too. With s = a + b and
 * factors a, b, c: λ = 1/s, σ = b/s, κ = c/s.
 */
function computeStandardErrors(
  { lambda, sigma, kappa }: Pick<Scalability, 'lambda' | 'sigma' | 'kappa'>,
  covariance: Matrix,
): Scalability['standardErrors'] {
  const computeError = (gradient: readonly number[]) => {
    const row = Matrix.rowVector([...gradient])
    return Math.sqrt(Math.max(0, row.mmul(covariance).mmul(row.transpose()).get(0, 0)))
  }
  return {
    lambda: computeError([-lambda * lambda, -lambda * lambda, 0]),
    sigma: computeError([-sigma * lambda, (1 - sigma) * lambda, 0]),
    kappa: computeError([-kappa * lambda, -kappa * lambda, lambda]),
  }
}

function computeRelativeError(
  law: Pick<Scalability, 'lambda' | 'sigma' | 'kappa'>,
  points: readonly Point[],
): number {
  const squares = points.map(
    ({ concurrency, requestsPerSecond }) => (throughputAt(law, concurrency) / requestsPerSecond - 1) ** 2,
  )
  return Math.sqrt(squares.reduce((sum, square) => sum + square, 0) / squares.length)
}

/** At the zero of the derivative (Gunther 2007, equation 4.33). */
function findPeak(law: Pick<Scalability, 'lambda' | 'sigma' | 'kappa'>): Scalability['peak'] {
  if (law.kappa === 0) return null
  const concurrency = Math.max(1, Math.sqrt((1 - law.sigma) / law.kappa))
  return { concurrency, requestsPerSecond: throughputAt(law, concurrency) }
}

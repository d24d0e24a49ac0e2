import type { Difference, SmallestEffects, UntilSureOutcome } from '../../contract/comparison.ts'
import { type LookPlan, normalTail } from '../statistics/alpha-spending.ts'
import { criticalT } from '../statistics/compare-means.ts'
import { CONFIDENCE, isInFamily, isRuledOut, judgeDifferences } from './judge-difference.ts'
import { type MeasureOptions, measureDifferences } from './measure-differences.ts'
import { METRICS, type RunFigures } from './run-figures.ts'

/** Two pairs have two degrees of freedom, which no realistic difference overcomes. */
export const FIRST_LOOK = 3

export type JudgedPairs = {
  pairs: number
  differences: Difference[]
  /** Comparisons of the family that are neither worse, better nor equivalent. */
  undecided: number
  /** Null: one more pair. */
  decision: Exclude<UntilSureOutcome, 'interrupted'> | null
}

/**
 * Judges all pairs of runs so far, and decides if one more pair is needed. Runs of A and B with the same index are a pair.
 * Pure: the same pairs give the same decision.
 */
export function judgePairs(
  options: Omit<MeasureOptions, 'confidence'> & { plan: LookPlan; smallestEffects: SmallestEffects },
): JudgedPairs {
  const { a, b, plan, smallestEffects } = options
  const pairs = Math.min(a.length, b.length)
  const tooEarly = whyTooEarly(pairs, plan)
  if (tooEarly.length > 0) {
    const measured = measureDifferences({ ...options, reasons: tooEarly, confidence: CONFIDENCE })
    return { pairs, differences: judgeDifferences(measured, options), undecided: 0, decision: null }
  }
  const confidence = 1 - plan.nominalLevel(pairs, SIGNIFICANCE)
  const lost = countLost(options)
  const differences = judgeDifferences(measureDifferences({ ...options, confidence }), {
    smallestEffects,
    look: { plan, pairs, lost },
  })
  const family = differences.filter(isInFamily)
  const undecided = family.filter((row) => !isDecided(row, smallestEffects))
  const look = { plan, pairs, family: family.length + lost, smallestEffects }
  return { pairs, differences, undecided: undecided.length, decision: decide({ family, undecided, look }) }
}

/** Nothing is judged before the first look: it would spend a part of the false positives that is not planned. */
export function whyTooEarly(pairs: number, { firstLook }: LookPlan): string[] {
  return pairs < firstLook ? [`fewer than ${firstLook} complete pairs of runs`] : []
}

function isDecided(row: Difference, smallestEffects: SmallestEffects): boolean {
  return row.verdict === 'worse' || row.verdict === 'better' || isRuledOut(row, smallestEffects)
}

type Now = { plan: LookPlan; pairs: number; family: number; smallestEffects: SmallestEffects }

/**
 * Worse as soon as anything is worse. Better or equivalent only when every comparison is decided, so that a faster route
 * does not hide a slower one.
 */
function decide(options: {
  family: readonly Difference[]
  undecided: readonly Difference[]
  look: Now
}): JudgedPairs['decision'] {
  const { family, undecided, look } = options
  if (family.some(({ verdict }) => verdict === 'worse')) return 'worse'
  if (family.length === 0) return 'futile'
  if (undecided.length === 0)
    return family.some(({ verdict }) => verdict === 'better') ? 'better' : 'equivalent'
  if (look.pairs >= look.plan.maxPairs) return 'maximum'
  return chanceOfDecision(undecided, look) < FUTILE_BELOW ? 'futile' : null
}

/** Futile: the maximum of pairs would decide with less than this probability. */
const FUTILE_BELOW = 0.1

/**
 * The probability that the last look decides, predicted from the differences so far (predictive power, Spiegelhalter 1986):
 * anything is worse, or everything is better or equivalent.
 */
function chanceOfDecision(undecided: readonly Difference[], now: Now): number {
  const { plan, pairs, family, smallestEffects } = now
  const critical = (atPairs: number, level: number) =>
    criticalT(plan.nominalLevel(atPairs, level), 2 * (atPairs - 1))
  const ahead = {
    share: pairs / plan.maxPairs,
    critical: critical(pairs, SIGNIFICANCE),
    lastCritical: critical(plan.maxPairs, SIGNIFICANCE),
    lastCriticalOfFamily: critical(plan.maxPairs, SIGNIFICANCE / family),
  }
  const chances = undecided.map((row) => predict(row, ahead, smallestEffects))
  const worse = Math.max(...chances.map((chance) => chance.worse))
  const decided = Math.min(...chances.map(({ better, equivalent }) => Math.max(better, equivalent)))
  return Math.max(worse, decided)
}

const SIGNIFICANCE = 1 - CONFIDENCE

/** The share of the pairs so far; critical values of t now and at the last look, there also for the whole family. */
type Ahead = { share: number; critical: number; lastCritical: number; lastCriticalOfFamily: number }

/**
 * How likely each verdict on a difference is at the last look. Until then the difference moves by a normal variable, and its
 * standard error shrinks with the root of the pairs.
 */
function predict(
  row: Difference,
  { share, critical, lastCritical, lastCriticalOfFamily }: Ahead,
  smallestEffects: SmallestEffects,
): { worse: number; better: number; equivalent: number } {
  const { change, reach, smallest } = onComparisonScale(row, smallestEffects)
  const standardError = reach / critical
  const lastError = standardError * Math.sqrt(share)
  const movement = standardError * Math.sqrt(1 - share)
  const bound = Math.max(smallest, lastError * lastCriticalOfFamily)
  const room = smallest - lastError * lastCritical
  const above = (value: number) => normalTail((value - change) / movement)
  const [higher, lower] = [above(bound), 1 - above(-bound)]
  const isHigherWorse = METRICS[row.metric].higherIs === 'worse'
  return {
    worse: isHigherWorse ? higher : lower,
    better: isHigherWorse ? lower : higher,
    equivalent: room <= 0 ? 0 : above(-room) - above(room),
  }
}

/** Logarithms for metrics that are compared by ratio, otherwise differences. `reach`: half of the interval. */
export function onComparisonScale(
  row: Difference,
  smallestEffects: SmallestEffects,
): { change: number; reach: number; smallest: number } {
  const { byRatio, smallestChange } = METRICS[row.metric]
  const ends = byRatio ? row.relativeInterval : row.interval
  const { low, high } = ends ?? { low: 0, high: 0 }
  const scale = byRatio ? Math.log1p : (value: number) => value
  return {
    change: scale((byRatio ? row.relativeDifference : row.difference) ?? 0),
    reach: (scale(high) - scale(low)) / 2,
    smallest: scale(smallestChange(row.a?.value ?? 0, smallestEffects)),
  }
}

/** Comparisons that an earlier look could judge, but this one cannot, because a later run lacks the metric. */
function countLost({ a, b, plan, reasons }: Parameters<typeof judgePairs>[0]): number {
  if (reasons.length > 0) return 0
  const keys = new Set(a.slice(0, 1).flatMap(({ figures }) => [...figures.keys()]))
  return [...keys].filter((key) => {
    const whole = countUntilLacking(key, a, b)
    if (whole < plan.firstLook || whole === Math.min(a.length, b.length)) return false
    return [...a.slice(0, whole), ...b.slice(0, whole)].some((run) => readValue(run, key) !== 0)
  }).length
}

function countUntilLacking(key: string, a: readonly RunFigures[], b: readonly RunFigures[]): number {
  const pairs = Math.min(a.length, b.length)
  const isLacking = (run: RunFigures | undefined) => run === undefined || readValue(run, key) === undefined
  const first = a.slice(0, pairs).findIndex((run, index) => isLacking(run) || isLacking(b[index]))
  return first === -1 ? pairs : first
}

function readValue({ figures }: RunFigures, key: string): number | undefined {
  const figure = figures.get(key)
  return figure === undefined || 'lacking' in figure ? undefined : figure.value
}

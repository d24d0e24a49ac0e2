import type {
  ComparedMetric,
  ComparisonVerdict,
  Difference,
  SmallestEffects,
} from '../../contract/comparison.ts'
import type { LookPlan } from '../statistics/alpha-spending.ts'
import { adjustByHolm } from '../statistics/compare-means.ts'
import type { Measured } from './measure-differences.ts'
import { METRICS } from './run-figures.ts'

/** A look at the results of a comparison that may stop or go on. */
export type Look = {
  plan: LookPlan
  pairs: number
  /** Comparisons of earlier looks that can no longer be measured: their part of the false positives is spent. */
  lost: number
}

export const CONFIDENCE = 0.95

/** Judges all differences as one family. */
export function judgeDifferences(
  measured: readonly Measured[],
  { smallestEffects, look }: { smallestEffects: SmallestEffects; look?: Look | undefined },
): Difference[] {
  const all = look === undefined ? measured : measured.map((one) => correctForLooks(one, look))
  const family = all.filter(isInFamily)
  const lost = new Array<number>(look?.lost ?? 0).fill(1)
  const adjusted = adjustByHolm([...family.map(({ pValue }) => pValue ?? 1), ...lost])
  const adjustedByDifference = new Map(family.map((each, index) => [each, adjusted[index]]))
  return all.map((one) => {
    const { lacking, ...each } = one
    const { metric, difference, relativeDifference, interval, relativeInterval, pValue } = each
    if (pValue === null || difference === null || interval === null) {
      return { ...each, pAdjusted: null, verdict: 'not comparable', reason: lacking }
    }
    const pAdjusted = adjustedByDifference.get(one) ?? 1
    const judgement = judgeDifference({
      metric,
      difference,
      relativeDifference,
      interval,
      relativeInterval,
      pValue,
      pAdjusted,
      significance: 1 - CONFIDENCE,
      smallestEffects,
    })
    return { ...each, pAdjusted, ...judgement }
  })
}

function correctForLooks(one: Measured, { plan, pairs }: Look): Measured {
  return one.pValue === null ? one : { ...one, pValue: plan.levelReached(pairs, one.pValue) }
}

/**
 * An event that never happened on either side cannot be worse or better, so it uses up none of the error budget of
 * the family (Tarone 1990).
 */
export function isInFamily({ pValue, a, b }: Pick<Difference, 'pValue' | 'a' | 'b'>): boolean {
  return pValue !== null && !(a?.value === 0 && b?.value === 0)
}

type Judgement = { verdict: ComparisonVerdict; reason: string }

/**
 * Judges a difference: B is worse, B is better, or no significant difference, with the reason that says if a
 * difference is ruled out.
 */
export function judgeDifference(options: {
  metric: ComparedMetric
  difference: number
  relativeDifference: number | null
  interval: { low: number; high: number }
  relativeInterval: { low: number; high: number } | null
  pValue: number
  pAdjusted: number
  significance: number
  smallestEffects: SmallestEffects
}): Judgement {
  const { metric, difference, relativeDifference, significance, smallestEffects } = options
  const { isSmall, higherIs, leastText } = METRICS[metric]
  const least = leastText(smallestEffects)
  const tooSmall = (absolute: number, relative: number | null) =>
    isSmall({ absolute, relative }, smallestEffects)
  if (options.pAdjusted >= significance) {
    if (isRuledOut(options, smallestEffects)) return nothing(`a difference of ${least} is ruled out`)
    if (options.pValue < significance && !tooSmall(difference, relativeDifference)) {
      return nothing('significant alone, but not among this many comparisons; add runs to decide')
    }
    return nothing(
      `no significant difference, but a difference of ${least} is not ruled out; add runs to decide`,
    )
  }
  if (tooSmall(difference, relativeDifference)) {
    return nothing(`there is a difference, but it is smaller than ${least}`)
  }
  const isWorse = difference > 0 === (higherIs === 'worse')
  return {
    verdict: isWorse ? 'worse' : 'better',
    reason: `${difference > 0 ? 'higher' : 'lower'} beyond chance, and by at least ${least}`,
  }
}

function nothing(reason: string): Judgement {
  return { verdict: 'no significant difference', reason }
}

/** True if the whole interval is below the smallest effect, in either direction. */
export function isRuledOut(
  { metric, interval, relativeInterval }: Pick<Difference, 'metric' | 'interval' | 'relativeInterval'>,
  smallestEffects: SmallestEffects,
): boolean {
  if (interval === null) return false
  const { isSmall } = METRICS[metric]
  return (['low', 'high'] as const).every((end) =>
    isSmall({ absolute: interval[end], relative: relativeInterval?.[end] ?? null }, smallestEffects),
  )
}

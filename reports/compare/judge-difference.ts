import type { ComparedMetric, ComparisonVerdict, SmallestEffects } from '../../contract/comparison.ts'
import { METRICS } from './metrics.ts'

export type Judgement = { verdict: ComparisonVerdict; because: string }

/** What a difference says: B is worse, better, or nothing is shown, and then whether a difference can be ruled out. */
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
    const { interval, relativeInterval } = options
    const ruledOut =
      tooSmall(interval.low, relativeInterval?.low ?? null) &&
      tooSmall(interval.high, relativeInterval?.high ?? null)
    if (ruledOut) return nothing(`a difference of ${least} is ruled out`)
    if (options.pValue < significance && !tooSmall(difference, relativeDifference)) {
      return nothing(
        'alone it would stand out; among so many comparisons it may be chance: more runs would tell',
      )
    }
    return nothing(
      `chance alone can make it; a difference of ${least} is not ruled out: more runs would tell`,
    )
  }
  if (tooSmall(difference, relativeDifference)) {
    return nothing(`there is a difference, but smaller than ${least}`)
  }
  const isWorse = difference > 0 === (higherIs === 'worse')
  return {
    verdict: isWorse ? 'worse' : 'better',
    because: `${difference > 0 ? 'higher' : 'lower'} by more than chance, and by at least ${least}`,
  }
}

function nothing(because: string): Judgement {
  return { verdict: 'no difference shown', because }
}

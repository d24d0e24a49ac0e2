import type { Comparison, Difference, UntilSureOutcome } from '../../contract/comparison.ts'
import { intervalText, METRIC_NAMES, placeText } from './comparison-text.ts'
import { isInFamily } from './judge-difference.ts'
import { onComparisonScale } from './until-sure.ts'

/** The number of pairs, why `--until-sure` stopped, and the interval that decided it; empty for other comparisons. */
export function untilSureLines(comparison: Comparison): string[] {
  const { untilSure, method } = comparison
  if (untilSure === undefined) return []
  const { outcome, pairs, maxPairs, undecided } = untilSure
  const open = `${undecided} of ${method.family} comparisons are undecided`
  const row = decidingRow(comparison)
  const interval =
    row === undefined
      ? []
      : [`${SHOWN[outcome]}: ${placeText(row)} ${METRIC_NAMES[row.metric]}, ${intervalText(row)}.`]
  return [`${pairs} of at most ${maxPairs} pairs of runs. ${STOPPED[outcome](open)}.`, ...interval]
}

/** `open` says how many comparisons are undecided. */
const STOPPED: Readonly<Record<UntilSureOutcome, (open: string) => string>> = {
  worse: () => 'Stopped because it is sure: B is worse',
  better: () => 'Stopped because it is sure: B is better, and nowhere worse',
  equivalent: () => 'Stopped because it is sure: B is equivalent, no difference reaches the smallest effect',
  futile: (open) => `Stopped as futile: ${open}, and more pairs would probably not decide them`,
  maximum: (open) => `Stopped at the maximum: ${open}`,
  interrupted: (open) => `Interrupted: ${open}`,
}

const FARTHEST = 'Interval that reaches farthest'
const CLEAREST = 'Interval of the clearest difference'

const SHOWN: Readonly<Record<UntilSureOutcome, string>> = {
  worse: CLEAREST,
  better: CLEAREST,
  equivalent: FARTHEST,
  futile: FARTHEST,
  maximum: FARTHEST,
  interrupted: FARTHEST,
}

function decidingRow({ untilSure, differences, method }: Comparison): Difference | undefined {
  const outcome = untilSure?.outcome
  if (outcome === 'worse' || outcome === 'better') {
    const rows = differences.filter(({ verdict }) => verdict === outcome)
    return rows.toSorted((x, y) => (x.pValue ?? 1) - (y.pValue ?? 1))[0]
  }
  const effects = (row: Difference) => {
    const { change, reach, smallest } = onComparisonScale(row, method.smallestEffects)
    return (Math.abs(change) + reach) / smallest
  }
  return differences.filter(isInFamily).toSorted((x, y) => effects(y) - effects(x))[0]
}

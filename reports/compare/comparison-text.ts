import {
  COMPARISON_VERDICTS,
  type ComparedMetric,
  type Comparison,
  type Difference,
} from '../../contract/comparison.ts'
import { figure } from '../objective-text.ts'

export function placeText({ routeGroup, name }: Difference): string {
  return name === null ? 'whole run' : `${name} (${routeGroup})`
}

export const METRIC_NAMES: Readonly<Record<ComparedMetric, string>> = {
  p50: 'p50',
  p95: 'p95',
  p99: 'p99',
  errorRate: 'errors',
  rejectedRate: '4xx',
  iterationsPerSecond: 'iterations',
  droppedRate: 'dropped',
  capacity: 'capacity',
}

export function valueText(side: Difference['a'], { unit }: Difference): string {
  return side === null ? '–' : inUnit(side.value, unit)
}

/** `12.3 ms`, `0.42 %` of a share, or `98/s`, to three significant digits. */
export function inUnit(value: number, unit: Difference['unit']): string {
  return unit === 'share'
    ? `${figure(value * 100)} %`
    : unit === 'ms'
      ? `${figure(value)} ms`
      : `${figure(value)}/s`
}

/** Shares change by points, other metrics by a share of A. */
export function changeText({ unit, difference, relativeDifference }: Difference): string {
  const change = unit === 'share' ? difference : relativeDifference
  return change === null ? '–' : `${signed(change)} ${changeUnit(unit)}`
}

/** The interval of a difference, such as `-2 to +5 %`; of shares in points. */
export function intervalText({ unit, interval, relativeInterval }: Difference): string {
  const ends = unit === 'share' ? interval : relativeInterval
  return ends === null ? '–' : `${signed(ends.low)} to ${signed(ends.high)} ${changeUnit(unit)}`
}

function changeUnit(unit: Difference['unit']): string {
  return unit === 'share' ? 'points' : '%'
}

/** Larger intervals show only that nothing is known. */
const PERCENT_MAX = 10_000

/** A share in percent or points, to one decimal, or more if it is small. */
function signed(share: number): string {
  const percent = share * 100
  if (percent > PERCENT_MAX) return `over +${PERCENT_MAX}`
  const text = Math.abs(percent) >= 0.1 ? percent.toFixed(1) : String(Number(percent.toPrecision(1)))
  return percent > 0 ? `+${text}` : text.replace('-', '−')
}

export function measuredRows({ differences }: Comparison): Difference[] {
  const rows = differences.filter(({ a, b }) => a !== null && b !== null)
  return rows.toSorted(
    (x, y) => COMPARISON_VERDICTS.indexOf(x.verdict) - COMPARISON_VERDICTS.indexOf(y.verdict),
  )
}

const PLACES_SHOWN_MAX = 5

/** Differences not measured on both sides: each reason once, with its places. */
export function unmeasuredLines({ differences }: Comparison): string[] {
  const placesByReason = new Map<string, string[]>()
  for (const difference of differences) {
    if (difference.a !== null && difference.b !== null) continue
    const place = `${placeText(difference)} ${METRIC_NAMES[difference.metric]}`
    placesByReason.set(difference.reason, [...(placesByReason.get(difference.reason) ?? []), place])
  }
  return [...placesByReason].map(([reason, places]) => {
    const more = places.length > PLACES_SHOWN_MAX ? ` and ${places.length - PLACES_SHOWN_MAX} more` : ''
    return `${places.slice(0, PLACES_SHOWN_MAX).join(', ')}${more}: ${reason}`
  })
}

/** Such as `worse: of 34 comparisons 1 worse, 33 no significant difference`. */
export function comparisonSentence({ verdict, differences }: Comparison): string {
  const counts = COMPARISON_VERDICTS.map(
    (each) => [differences.filter((one) => one.verdict === each).length, each] as const,
  ).filter(([count]) => count > 0)
  const said = counts.map(([count, each]) => `${count} ${each}`).join(', ')
  return `${verdict}: ${said === '' ? 'nothing was measured' : `of ${differences.length} comparisons ${said}`}`
}

/** Such as `5 runs of 30 s, 12000 requests`. */
export function sideText({ runs }: Comparison['a']): string {
  const seconds = [...new Set(runs.map((run) => run.seconds))].sort((x, y) => x - y)
  const requests = runs.reduce((sum, run) => sum + run.requests, 0)
  const length = seconds.length > 1 ? `${seconds[0]} to ${seconds.at(-1)} s` : `${seconds[0] ?? 0} s`
  return `${runs.length} ${runs.length === 1 ? 'run' : 'runs'} of ${length}, ${requests} requests`
}

export function methodText({ method, untilSure }: Comparison): string {
  const { latency, rate, errorRate } = method.smallestEffects
  const percent = (share: number) => `${Number((share * 100).toPrecision(6))} %`
  const looks =
    untilSure === undefined
      ? ''
      : ` Intervals and verdicts allow for a look at the results after each pair of runs from number ${untilSure.firstLook} on.`
  return `Each interval alone contains the true difference in ${percent(method.confidence)} of cases. Verdicts are corrected for all ${method.family} comparisons (Holm) and ignore less than ${percent(latency.relative)} or ${latency.ms} ms of latency, ${percent(rate.relative)} of a rate, ${Number((errorRate * 100).toPrecision(6))} points of errors.${looks}`
}

export function figureCells(row: Difference): string[] {
  return [
    METRIC_NAMES[row.metric],
    valueText(row.a, row),
    valueText(row.b, row),
    changeText(row),
    intervalText(row),
    row.verdict,
  ]
}

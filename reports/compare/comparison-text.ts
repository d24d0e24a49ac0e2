/** A comparison in words, for every format: cells, sentences, and the table of a terminal. */
import {
  COMPARISON_VERDICTS,
  type ComparedMetric,
  type Comparison,
  type ComparisonVerdict,
  type Difference,
  type UntilSureOutcome,
} from '../../contract/comparison.ts'
import { figure } from '../objective-text.ts'
import { NO_PAINT, type Paint } from '../verdict-table.ts'
import { visibleLine } from '../visible.ts'
import { isInFamily } from './judge-difference.ts'
import { onComparisonScale } from './until-sure.ts'

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

/** `12.3 ms`, `0.42 %` of a share, `98/s`, or `1980 sockets`, to three significant digits. */
export function inUnit(value: number, unit: Difference['unit']): string {
  return unit === 'share' ? `${figure(value * 100)} %` : `${figure(value)}${unit === '/s' ? '' : ' '}${unit}`
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

const COLOR: Readonly<Record<ComparisonVerdict, keyof Paint>> = {
  worse: 'red',
  better: 'green',
  'no significant difference': 'dim',
  'not comparable': 'yellow',
}

/** Custom scenarios can have long route names. */
const PLACE_LENGTH_MAX = 60

/** The table for a terminal: both sides, each difference (worst first), notes, and the verdict in the last line. */
export function comparisonTable(comparison: Comparison, paint: Paint = NO_PAINT): string[] {
  const { a, b, notes, verdict } = comparison
  return [
    ...[['A', a] as const, ['B', b] as const].map(
      ([letter, side]) => `${letter}  ${visibleLine(side.label)}: ${sideText(side)}`,
    ),
    ...rowLines(measuredRows(comparison), paint),
    ...unmeasuredLines(comparison).map(
      (line) => `${paint.yellow('not comparable')}  ${visibleLine(line, 500)}`,
    ),
    ...untilSureLines(comparison).map((line) => visibleLine(line, 500)),
    ...notes.map((note) => paint.dim(`note: ${visibleLine(note, 500)}`)),
    paint[COLOR[verdict]](visibleLine(comparisonSentence(comparison))),
  ]
}

const COLUMNS = ['', 'metric', 'A', 'B', 'change', '95 % interval', 'verdict']
const ALIGNED_RIGHT = new Set([2, 3, 4, 5])

function rowLines(rows: readonly Difference[], paint: Paint): string[] {
  if (rows.length === 0) return []
  const table = rows.map((row) => [visibleLine(placeText(row), PLACE_LENGTH_MAX), ...figureCells(row)])
  const widths = COLUMNS.map((name, column) =>
    Math.max(name.length, ...table.map((cells) => cells[column]?.length ?? 0)),
  )
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, column) =>
        ALIGNED_RIGHT.has(column) ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0),
      )
      .join('  ')
      .trimEnd()
  return [
    paint.dim(line(COLUMNS)),
    ...rows.map((row, index) => paint[COLOR[row.verdict]](line(table[index] ?? []))),
  ]
}

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

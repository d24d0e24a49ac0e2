import type {
  Comparison,
  ComparisonVerdict,
  Difference,
  UntilSureOutcome,
} from '../../contract/comparison.ts'
import type { Paint } from '../verdict-table.ts'
import { visibleLine } from '../visible.ts'
import {
  comparisonSentence,
  figureCells,
  intervalText,
  METRIC_NAMES,
  measuredRows,
  placeText,
  sideText,
  unmeasuredLines,
} from './comparison-text.ts'
import { isInFamily } from './judge-difference.ts'
import { onComparisonScale } from './until-sure.ts'

const plain = (text: string) => text
const NO_PAINT: Paint = { green: plain, red: plain, yellow: plain, dim: plain, bold: plain }

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

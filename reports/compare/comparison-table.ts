import type { Comparison, ComparisonVerdict, Difference } from '../../contract/comparison.ts'
import type { Paint } from '../verdict-table.ts'
import { visibleLine } from '../visible.ts'
import {
  changeText,
  comparisonSentence,
  intervalText,
  METRIC_NAMES,
  measuredRows,
  placeText,
  sideText,
  unmeasuredLines,
  valueText,
} from './comparison-text.ts'

const plain = (text: string) => text
const NO_PAINT: Paint = { green: plain, red: plain, yellow: plain, dim: plain, bold: plain }

const COLOUR: Readonly<Record<ComparisonVerdict, keyof Paint>> = {
  worse: 'red',
  better: 'green',
  'no difference shown': 'dim',
  'not comparable': 'yellow',
}

/** Names of routes come from scenarios of one's own too. */
const PLACE_LENGTH_MAX = 60

/** The table that a terminal shows: both sides, each difference, the worst first, remarks, in the last line the verdict. */
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
    ...notes.map((note) => paint.dim(`note: ${visibleLine(note, 500)}`)),
    paint[COLOUR[verdict]](visibleLine(comparisonSentence(comparison))),
  ]
}

const COLUMNS = ['', 'metric', 'A', 'B', 'change', '95 % interval', 'verdict']
const ALIGNED_RIGHT = new Set([2, 3, 4, 5])

function rowLines(rows: readonly Difference[], paint: Paint): string[] {
  if (rows.length === 0) return []
  const table = rows.map(cellsOf)
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
    ...rows.map((row, index) => paint[COLOUR[row.verdict]](line(table[index] ?? []))),
  ]
}

function cellsOf(row: Difference): string[] {
  return [
    visibleLine(placeText(row), PLACE_LENGTH_MAX),
    METRIC_NAMES[row.metric],
    valueText(row.a, row),
    valueText(row.b, row),
    changeText(row),
    intervalText(row),
    row.verdict,
  ]
}

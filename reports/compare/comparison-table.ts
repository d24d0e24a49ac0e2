import type { Comparison, ComparisonVerdict, Difference } from '../../contract/comparison.ts'
import type { Paint } from '../verdict-table.ts'
import { visibleLine } from '../visible.ts'
import {
  comparisonSentence,
  figureCells,
  measuredRows,
  placeText,
  sideText,
  unmeasuredLines,
} from './comparison-text.ts'
import { untilSureLines } from './until-sure-text.ts'

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

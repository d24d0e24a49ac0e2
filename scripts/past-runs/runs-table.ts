import type { Run } from '../../contract/run.ts'
import type { Paint } from '../../reports/verdict-table.ts'
import { visibleLine } from '../../reports/visible.ts'
import type { ListedRun, RunList } from './list-runs.ts'

const HEAD = ['run', 'job', 'when (UTC)', 'target', 'mix', 'rate', 'verdict'] as const

const COLOUR: Readonly<Record<string, keyof Paint>> = { pass: 'green', fail: 'red', worse: 'red' }

/** The runs of a folder, one a line, and then what could not be read. */
export function runsTable({ runs, damaged }: RunList, paint: Paint): string[] {
  const rows = runs.map(cellsOf)
  const widths = HEAD.map((head, column) =>
    Math.max(head.length, ...rows.map((row) => (row[column] ?? '').length)),
  )
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, column) =>
        column === RATE ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0),
      )
      .join('  ')
      .trimEnd()
  return [
    ...(rows.length === 0 ? [] : [paint.dim(line(HEAD))]),
    ...rows.map((row) => paintOf(row, paint)(line(row))),
    ...damaged.map(({ folder, problem }) => paint.yellow(`damaged  ${folder}: ${visibleLine(problem)}`)),
  ]
}

const RATE = HEAD.indexOf('rate')

function cellsOf({ folder, run, standing, rate }: ListedRun): string[] {
  return [
    folder === '.' ? run.id : folder,
    run.job,
    minuteText(run.startedAt),
    targetText(run),
    run.mix ?? '-',
    rate === null ? '-' : String(Number(rate.toPrecision(4))),
    standing,
  ].map((cell) => visibleLine(cell, 80))
}

function paintOf(row: readonly string[], paint: Paint): (text: string) => string {
  const colour = COLOUR[row.at(-1) ?? '']
  return colour === undefined ? (text) => text : paint[colour]
}

function minuteText(iso: string): string {
  return new Date(iso).toISOString().slice(0, 16).replace('T', ' ')
}

function targetText({ target, world, mutant }: Run): string {
  return [target.name, ...(world === null ? [] : [world]), ...(mutant === null ? [] : [mutant])].join(' ')
}

import type { Capacity } from '../../contract/capacity.ts'
import type { Report } from '../../contract/report.ts'
import type { Paint } from '../verdict-table.ts'
import { visibleLine } from '../visible.ts'
import { budgetText } from './budget-text.ts'
import { focusText } from './focus-trial.ts'
import { busiestTrial, generatorText, targetText } from './health-text.ts'
import { LOAD_COLUMNS, type LoadRow, loadRows, type Standing } from './load-rows.ts'
import { scalabilityText } from './scalability-text.ts'

const WHY_LENGTH_MAX = 110

/** A search for capacity as a terminal shows it: the loads by rising rate, what both ends did, and what it cost. */
export function capacityTable({ run, slo }: Report, capacity: Capacity, paint: Paint): string[] {
  const focus = focusText(capacity)
  const scalability = scalabilityText(capacity)
  return [
    ...loadLines(loadRows(capacity), paint),
    ...healthLines(capacity),
    ...(scalability === null ? [] : [`scalability: ${visibleLine(scalability, 600)}`]),
    `used: ${budgetText(capacity.budget)}`,
    `run again: ${visibleLine(run.command, 2000)}`,
    ...(slo === null || focus === null ? [] : [paint.dim(`objectives ${focus}`)]),
  ]
}

const COLOURS: Readonly<Record<Standing, keyof Paint>> = {
  meets: 'green',
  met: 'green',
  misses: 'red',
  undecided: 'yellow',
  'generator-limited': 'yellow',
  unjudged: 'dim',
}

function loadLines(rows: readonly LoadRow[], paint: Paint): string[] {
  const columns = LOAD_COLUMNS.map(({ name, key }) => ({
    name,
    key,
    width: Math.max(name.length, ...rows.map((row) => row[key].length)),
  }))
  const aligned = (key: keyof LoadRow, text: string, width: number) =>
    key === 'standing' ? text.padEnd(width) : key === 'why' ? text : text.padStart(width)
  const cell = (row: LoadRow, key: keyof LoadRow, width: number) => {
    const text = aligned(key, visibleLine(row[key], WHY_LENGTH_MAX), width)
    return key === 'standing' ? paint[COLOURS[row.standing]](text) : text
  }
  if (rows.length === 0) return []
  return [
    paint.dim(columns.map(({ name, key, width }) => aligned(key, name, width)).join('  ')),
    ...rows.map((row) =>
      columns
        .map(({ key, width }) => cell(row, key, width))
        .join('  ')
        .trimEnd(),
    ),
  ]
}

function healthLines({ trials }: Capacity): string[] {
  const busiest = busiestTrial(trials)
  if (busiest === undefined) return []
  return [
    `generator, trial ${busiest.trial}: ${generatorText(busiest.generator, busiest.generatorLagMs)}`,
    ...(busiest.target === null ? [] : [`target, trial ${busiest.trial}: ${targetText(busiest.target)}`]),
  ]
}

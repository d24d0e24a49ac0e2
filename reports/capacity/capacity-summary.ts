import type { Report } from '../../contract/report.ts'
import { escapeMarkdown, markdownTable } from '../markdown-text.ts'
import { budgetText } from './budget-text.ts'
import { busiestTrial, generatorText, targetText } from './health-text.ts'
import { LOAD_COLUMNS, loadRows } from './load-rows.ts'
import { scalabilityText } from './scalability-text.ts'

const NUMBERS: readonly string[] = ['rate', 'met', 'throughput', 'p50', 'p95', 'p99', 'errors']

/** The loads of a search for capacity, what both ends did, and what it cost, as Markdown. */
export function capacitySummary({ capacity }: Pick<Report, 'capacity'>): string[] {
  if (capacity === null) return []
  const busiest = busiestTrial(capacity.trials)
  const remarks = [
    busiest &&
      `Load generator in trial ${busiest.trial}: ${generatorText(busiest.generator, busiest.generatorLagMs)}.`,
    busiest?.target && `Target in trial ${busiest.trial}: ${targetText(busiest.target)}.`,
    scalabilityText(capacity),
    `Used: ${budgetText(capacity.budget)}.`,
  ]
  return [
    '## Loads',
    '',
    ...markdownTable(
      LOAD_COLUMNS.map(({ name }) => (NUMBERS.includes(name) ? `${name}:` : name)),
      loadRows(capacity).map((row) => LOAD_COLUMNS.map(({ key }) => row[key])),
    ),
    '',
    ...remarks
      .filter((remark) => typeof remark === 'string')
      .map((remark) => `- ${escapeMarkdown(remark, 1000)}`),
  ]
}

import type { Capacity } from '../contract/capacity.ts'
import type { Verdict } from '../contract/finding.ts'
import type { ObjectiveResult, Report, RuleResult } from '../contract/report.ts'
import { RUN_FILES } from '../contract/run.ts'
import {
  budgetText,
  busiestTrial,
  generatorText,
  LOAD_COLUMNS,
  type LoadResult,
  type LoadRow,
  loadRows,
  memoryText,
  scalabilityText,
  targetText,
} from './capacity/capacity-texts.ts'
import { focusText } from './capacity/trials.ts'
import { changesSentence } from './find-changes.ts'
import { objectiveText, observedText } from './objective-text.ts'
import { countByGroup, countVerdicts, type GroupCounts, verdictSentence } from './verdict-counts.ts'
import { visibleLine } from './visible.ts'

const WHY_LENGTH_MAX = 110

function capacityTable({ run, slo }: Report, capacity: Capacity, paint: Paint): string[] {
  const focus = focusText(capacity)
  const scalability = scalabilityText(capacity)
  const memory = memoryText(capacity)
  return [
    ...loadLines(loadRows(capacity), paint),
    ...healthLines(capacity),
    ...(scalability === null ? [] : [`scalability: ${visibleLine(scalability, 600)}`]),
    ...(memory === null ? [] : [`memory per socket: ${memory}`]),
    `used: ${budgetText(capacity.budget)}`,
    `reproduce: ${visibleLine(run.command, 2000)}`,
    ...(slo === null || focus === null ? [] : [paint.dim(`objectives ${focus}`)]),
  ]
}

const COLORS: Readonly<Record<LoadResult, keyof Paint>> = {
  pass: 'green',
  fail: 'red',
  undecided: 'yellow',
  'generator-limited': 'yellow',
  inconclusive: 'dim',
}

function loadLines(rows: readonly LoadRow[], paint: Paint): string[] {
  const columns = LOAD_COLUMNS.map(({ name, key }) => ({
    name,
    key,
    width: Math.max(name.length, ...rows.map((row) => row[key].length)),
  }))
  const aligned = (key: keyof LoadRow, text: string, width: number) =>
    key === 'result' ? text.padEnd(width) : key === 'why' ? text : text.padStart(width)
  const cell = (row: LoadRow, key: keyof LoadRow, width: number) => {
    const text = aligned(key, visibleLine(row[key], WHY_LENGTH_MAX), width)
    return key === 'result' ? paint[COLORS[row.result]](text) : text
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

export type Paint = Record<'green' | 'red' | 'yellow' | 'dim' | 'bold', (text: string) => string>

const plain = (text: string) => text
export const NO_PAINT: Paint = { green: plain, red: plain, yellow: plain, dim: plain, bold: plain }

const COLUMNS: readonly Verdict[] = ['pass', 'fail', 'inconclusive', 'skipped']
const COLOR: Readonly<Record<Report['verdict'] | Verdict, keyof Paint>> = {
  pass: 'green',
  fail: 'red',
  inconclusive: 'yellow',
  interrupted: 'yellow',
  skipped: 'dim',
}

/**
 * The table at the end of a run in a terminal: the verdict, counts by group, failures, inconclusive rules, objectives
 * and notes; for a capacity search, the loads.
 */
export function verdictTable(report: Report, paint: Paint = NO_PAINT): string[] {
  const { capacity } = report
  const verdict = paint[COLOR[report.verdict]](visibleLine(verdictSentence(report), 600))
  const objectives = (report.slo?.objectives ?? []).map((objective) => objectiveLine(objective, paint))
  const changes = changedLines(report, paint)
  const notes = report.notes.map((note) => paint.dim(`note: ${visibleLine(note, 500)}`))
  const rules = [
    ...report.rules.filter(({ verdict }) => verdict === 'fail').flatMap((rule) => failureLines(rule, paint)),
    ...inconclusiveLines(report.rules, paint),
  ]
  if (capacity !== null) {
    return [verdict, ...capacityTable(report, capacity, paint), ...rules, ...objectives, ...changes, ...notes]
  }
  return [verdict, ...countLines(report.rules, paint), ...rules, ...objectives, ...changes, ...notes]
}

function changedLines({ changes }: Pick<Report, 'changes'>, paint: Paint): string[] {
  if (changes.since === null) return []
  const paintChange = changes.rules.failing.length > 0 ? paint.red : paint.dim
  return [paintChange(visibleLine(changesSentence(changes), 500))]
}

function countLines(rules: readonly RuleResult[], paint: Paint): string[] {
  if (rules.length === 0) return []
  const rows: GroupCounts[] = [...countByGroup(rules), { group: 'all', counts: countVerdicts(rules) }]
  const width = Math.max('rules'.length, ...rows.map(({ group }) => group.length))
  return [
    paint.dim([`${'rules'.padEnd(width)}`, ...COLUMNS].join('  ')),
    ...rows.map(({ group, counts }) =>
      [
        visibleLine(group).padEnd(width),
        ...COLUMNS.map((verdict) => countCell(verdict, counts[verdict], paint)),
      ].join('  '),
    ),
  ]
}

function countCell(verdict: Verdict, count: number, paint: Paint): string {
  const cell = (count === 0 ? '-' : String(count)).padStart(verdict.length)
  return paint[count === 0 ? 'dim' : COLOR[verdict]](cell)
}

function failureLines({ id, expected, observed, waiver }: RuleResult, paint: Paint): string[] {
  return [
    waiver === null
      ? paint.red(`fail  ${visibleLine(id)}`)
      : paint.yellow(`fail, waived until ${waiver.until}  ${visibleLine(id)}: ${visibleLine(waiver.reason)}`),
    `      expected: ${visibleLine(expected, undefined, RUN_FILES.findings)}`,
    `      observed: ${visibleLine(observed, undefined, RUN_FILES.findings)}`,
  ]
}

/** Rules with the same reason share a line, because an aborted run leaves many. */
function inconclusiveLines(rules: readonly RuleResult[], paint: Paint): string[] {
  const idsByReason = new Map<string, string[]>()
  for (const { id, verdict, reason } of rules) {
    if (verdict !== 'inconclusive') continue
    const key = reason ?? 'no reason given'
    idsByReason.set(key, [...(idsByReason.get(key) ?? []), id])
  }
  return [...idsByReason].map(
    ([reason, ids]) =>
      `${paint.yellow('inconclusive')}  ${visibleLine(ids.slice(0, IDS_SHOWN_MAX).join(', '))}${more(ids.length)}: ${visibleLine(reason, undefined, RUN_FILES.findings)}`,
  )
}

const IDS_SHOWN_MAX = 3

function more(count: number): string {
  return count > IDS_SHOWN_MAX ? ` and ${count - IDS_SHOWN_MAX} more` : ''
}

function objectiveLine(objective: ObjectiveResult, paint: Paint): string {
  const verdict = paint[COLOR[objective.verdict]](objective.verdict)
  return `${verdict}  ${visibleLine(objectiveText(objective))}: ${visibleLine(observedText(objective))}`
}

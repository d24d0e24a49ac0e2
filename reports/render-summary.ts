import { VERDICTS, type Verdict } from '../contract/finding.ts'
import type { Report, RuleResult } from '../contract/report.ts'
import type { Rule } from '../contract/rule.ts'
import { RUN_FILES } from '../contract/run.ts'
import {
  budgetText,
  busiestTrial,
  generatorText,
  LOAD_COLUMNS,
  loadRows,
  memoryText,
  scalabilityText,
  targetText,
} from './capacity/capacity-texts.ts'
import { focusText } from './capacity/trials.ts'
import { changesSentence } from './find-changes.ts'
import { objectiveText, observedText } from './objective-text.ts'
import type { TimelineRead } from './timeline.ts'
import { runTrendSentence } from './trend/run-trend.ts'
import { countByGroup, countVerdicts, verdictSentence } from './verdict-counts.ts'
import { code, escapeMarkdown, markdownTable } from './visible.ts'

const EVIDENCE_SHOWN_MAX = 5
const COMMAND_LENGTH_MAX = 10_000

/** A run as Markdown, short enough for a pull request: counts, failures, inconclusive rules, objectives. */
export function renderSummary({
  report,
  catalogue,
  timeline,
}: {
  report: Report
  catalogue: readonly Rule[]
  timeline?: TimelineRead | undefined
}): string {
  const statements = new Map(catalogue.map(({ id, statement }) => [id, statement]))
  const ofVerdict = (verdict: Verdict) => report.rules.filter((rule) => rule.verdict === verdict)
  const sections = [
    [`# Breakwater ${escapeMarkdown(`${report.job}: ${verdictSentence(report)}`, 600)}`],
    report.notes.map((note) => `> ${escapeMarkdown(note)}  `),
    report.changes.since === null ? [] : [escapeMarkdown(changesSentence(report.changes), 500)],
    report.trend === undefined ? [] : [escapeMarkdown(runTrendSentence(report.trend), 500)],
    capacitySummary(report),
    countTable(report),
    section(
      'Failed',
      ofVerdict('fail')
        .filter(({ waiver }) => waiver === null)
        .flatMap((rule) => failureLines(rule, statements.get(rule.id))),
    ),
    section(
      'Failed, but waived',
      ofVerdict('fail')
        .filter(({ waiver }) => waiver !== null)
        .flatMap((rule) => failureLines(rule, statements.get(rule.id))),
    ),
    section('Inconclusive', ofVerdict('inconclusive').map(inconclusiveLine)),
    section('Objectives', objectiveTable(report)),
    section(
      'Timeline',
      timeline === undefined
        ? []
        : [`[${RUN_FILES.timelineHtml}](${RUN_FILES.timelineHtml}): ${timeline.lines.length} events`],
    ),
    section('Reproduce', [code(report.run.command, COMMAND_LENGTH_MAX)]),
  ]
  return `${sections
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n')}\n`
}

function section(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [`## ${title}`, '', ...lines]
}

function countTable({ rules }: Report): string[] {
  if (rules.length === 0) return []
  const rows = [...countByGroup(rules), { group: 'all', counts: countVerdicts(rules) }]
  return [
    `| rules | ${VERDICTS.join(' | ')} |`,
    `|---|${VERDICTS.map(() => '--:|').join('')}`,
    ...rows.map(
      ({ group, counts }) =>
        `| ${escapeMarkdown(group)} | ${VERDICTS.map((verdict) => counts[verdict]).join(' | ')} |`,
    ),
  ]
}

function failureLines(rule: RuleResult, statement: string | undefined): string[] {
  const evidence = rule.evidence.slice(0, EVIDENCE_SHOWN_MAX)
  const left = rule.evidence.length - evidence.length
  return [
    `- ${code(rule.id)}${statement === undefined ? '' : `: ${escapeMarkdown(statement)}`}`,
    ...(rule.waiver === null
      ? []
      : [`  - waived until ${rule.waiver.until}: ${escapeMarkdown(rule.waiver.reason)}`]),
    `  - expected: ${code(rule.expected)}`,
    `  - observed: ${code(rule.observed)}`,
    ...evidence.map((line) => `  - ${code(line)}`),
    ...(left > 0 ? [`  - and ${left} more in report.html`] : []),
  ]
}

function inconclusiveLine({ id, reason }: RuleResult): string {
  return `- ${code(id)}: ${escapeMarkdown(reason ?? 'no reason given')}`
}

function objectiveTable({ slo, capacity }: Report): string[] {
  if (slo === null) return []
  const focus = focusText(capacity)
  const table = markdownTable(
    ['objective', 'observed', 'verdict'],
    slo.objectives.map((objective) => [objectiveText(objective), observedText(objective), objective.verdict]),
  )
  return focus === null ? table : [`Objectives and latencies are ${escapeMarkdown(focus)}.`, '', ...table]
}

const NUMBERS: readonly string[] = ['rate', 'passed', 'throughput', 'p50', 'p95', 'p99', 'errors']

function capacitySummary({ capacity }: Pick<Report, 'capacity'>): string[] {
  if (capacity === null) return []
  const busiest = busiestTrial(capacity.trials)
  const memory = memoryText(capacity)
  const remarks = [
    busiest &&
      `Load generator in trial ${busiest.trial}: ${generatorText(busiest.generator, busiest.generatorLagMs)}.`,
    busiest?.target && `Target in trial ${busiest.trial}: ${targetText(busiest.target)}.`,
    scalabilityText(capacity),
    memory === null ? null : `Memory per socket: ${memory}`,
    `Budget used: ${budgetText(capacity.budget)}.`,
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

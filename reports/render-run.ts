/**
 * Reads a run folder, judges it, and writes report.html, report.json, junit.xml and summary.md. reports/ uses run
 * folders only, neither k6 nor the target.
 */

import path from 'node:path'
import { EXIT } from '../contract/breakwater-error.ts'
import { getAxisSuffix } from '../contract/capacity.ts'
import { VERDICTS, type Verdict } from '../contract/finding.ts'
import {
  type ObjectiveResult,
  REPORT_FORMATS,
  type Report,
  type ReportFormat,
  type RuleResult,
} from '../contract/report.ts'
import type { Rule } from '../contract/rule.ts'
import { RUN_FILES } from '../contract/run.ts'
import type { Slo } from '../contract/slo.ts'
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
import { type RenderInput, renderHtml } from './html/render-html.ts'
import { renderTimeline } from './html/render-timeline.ts'
import { type JunitCase, junitText, type JunitOutcome as Outcome } from './junit-text.ts'
import { objectiveText, observedText } from './objective-text.ts'
import { readReport } from './read-report.ts'
import { writeWhole } from './run-file.ts'
import type { TimelineRead } from './timeline.ts'
import { type GivenHistory, runTrendSentence } from './trend/run-trend.ts'
import { countByGroup, countVerdicts, parseRuleGroup, verdictSentence } from './verdict-counts.ts'
import { code, escapeMarkdown, markdownTable } from './visible.ts'

const SUITES = ['run', 'capacity', 'rules', 'slo'] as const

type TestCase = JunitCase & { suite: (typeof SUITES)[number] }

/** JUnit XML: a test case per rule and objective, and one for the whole run. */
export function renderJunit(report: Report): string {
  const cases = [
    runCase(report),
    ...capacityCases(report),
    ...report.rules.map(ruleCase(report)),
    ...objectiveCases(report),
  ]
  const suites = SUITES.map((name) => ({
    name,
    timestamp: report.run.startedAt,
    cases: cases.filter(({ suite }) => suite === name),
  }))
  return junitText({ name: `breakwater ${report.job}`, suites })
}

/** A run that was cut short or judged nothing must not look complete to a reader of this file alone. */
function runCase(report: Report): TestCase {
  const judged = report.verdict === 'pass' || report.verdict === 'fail' || report.exitCode === EXIT.ok
  const message = report.notes[0] ?? report.verdict
  const outcome: Outcome = { element: 'error', message, detail: report.notes.join('\n') }
  return { suite: 'run', className: 'run', name: 'judged to its end', outcome: judged ? undefined : outcome }
}

function capacityCases({ job, capacity, verdict, run }: Report): TestCase[] {
  if (capacity === null) return []
  const { statement, mix, trials } = capacity
  const detail = trials.map(
    ({ trial, rate, axis, outcome, reason }) =>
      `${trial}: ${rate}${getAxisSuffix(axis)} ${outcome}: ${reason}`,
  )
  const element = verdict === 'fail' ? 'failure' : chooseUnjudgedElement(run)
  const outcome: Outcome = { element, message: statement, detail: detail.join('\n') }
  return [
    {
      suite: 'capacity',
      className: 'capacity',
      name: `${job} of ${mix}`,
      outcome: verdict === 'pass' ? undefined : outcome,
    },
  ]
}

function ruleCase({ run }: Report): (rule: RuleResult) => TestCase {
  return (rule) => ({
    suite: 'rules',
    className: parseRuleGroup(rule.id),
    name: rule.id,
    outcome: ruleOutcome(rule, chooseUnjudgedElement(run)),
  })
}

function ruleOutcome(rule: RuleResult, openElement: Outcome['element']): Outcome | undefined {
  if (rule.verdict === 'pass') return undefined
  const detail = [`expected: ${rule.expected}`, `observed: ${rule.observed}`, ...rule.evidence].join('\n')
  if (rule.waiver !== null) {
    const message = `waived until ${rule.waiver.until}: ${rule.waiver.reason}`
    return { element: 'skipped', message, detail }
  }
  if (rule.verdict === 'fail') return { element: 'failure', message: rule.observed, detail }
  return { element: openElement, message: `${rule.verdict}: ${rule.reason ?? 'no reason given'}`, detail }
}

function objectiveCases({ slo, run }: Report): TestCase[] {
  return (slo?.objectives ?? []).map((objective) => ({
    suite: 'slo',
    className: 'slo',
    name: objectiveText(objective),
    outcome: objectiveOutcome(objective, chooseUnjudgedElement(run)),
  }))
}

function objectiveOutcome(objective: ObjectiveResult, openElement: Outcome['element']): Outcome | undefined {
  if (objective.verdict === 'pass') return undefined
  const detail = `expected: ${objectiveText(objective)}\nobserved: ${observedText(objective)}`
  return objective.verdict === 'fail'
    ? { element: 'failure', message: observedText(objective), detail }
    : { element: openElement, message: `inconclusive: ${observedText(objective)}`, detail }
}

/** With --strict, every selected rule that was not judged is an error. */
function chooseUnjudgedElement({ strict }: Report['run']): Outcome['element'] {
  return strict ? 'error' : 'skipped'
}

type Renderer = { file: string; render: (input: RenderInput) => string }

export const RENDERERS: Readonly<Record<ReportFormat, Renderer>> = {
  html: { file: RUN_FILES.reportHtml, render: renderHtml },
  json: { file: RUN_FILES.reportJson, render: ({ report }) => `${JSON.stringify(report, null, 2)}\n` },
  junit: { file: RUN_FILES.junit, render: ({ report }) => renderJunit(report) },
  md: { file: RUN_FILES.summary, render: renderSummary },
}

/**
 * Reads the run folder, writes the report into it, and returns report.json. `slo` replaces the run's own objectives.
 * Throws a BreakwaterError: usage if it is not a run folder, environment if it cannot be written.
 */
export async function renderRun(options: {
  dir: string
  slo?: Slo
  formats?: readonly ReportFormat[]
  nowMs?: number
  /** Adds the trend of the run. */
  history?: GivenHistory | undefined
}): Promise<Report> {
  const { repro, ...input } = await readReport(options)
  const { report, timeline } = input
  const formats = options.formats ?? REPORT_FORMATS
  await writeReport(options.dir, formats, input)
  if (formats.includes('html') && timeline !== undefined && repro !== null) {
    const page = renderTimeline({ report, caseRun: repro, timeline })
    await writeWhole(path.join(options.dir, RUN_FILES.timelineHtml), page)
  }
  return report
}

/** Renders all formats before it writes the first: the files of a run always agree. */
async function writeReport(dir: string, formats: readonly ReportFormat[], input: RenderInput): Promise<void> {
  const files = formats.map((format) => {
    const { file, render } = RENDERERS[format]
    return { file: path.join(dir, file), text: render(input) }
  })
  for (const { file, text } of files) await writeWhole(file, text)
}

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
    `  - expected: ${code(rule.expected, undefined, RUN_FILES.findings)}`,
    `  - observed: ${code(rule.observed, undefined, RUN_FILES.findings)}`,
    ...evidence.map((line) => `  - ${code(line, undefined, RUN_FILES.findings)}`),
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

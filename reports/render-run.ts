/**
 * Reads a run folder, judges it, and writes report.html, report.json, junit.xml and summary.md. reports/ uses run
 * folders only, neither k6 nor the target.
 */
import path from 'node:path'
import { EXIT } from '../contract/breakwater-error.ts'
import {
  type ObjectiveResult,
  REPORT_FORMATS,
  type Report,
  type ReportFormat,
  type RuleResult,
} from '../contract/report.ts'
import type { Rule } from '../contract/rule.ts'
import { HISTORY_RULES } from '../contract/rules/history.ts'
import { RULES } from '../contract/rules.ts'
import { RUN_FILES, type Run } from '../contract/run.ts'
import type { Slo } from '../contract/slo.ts'
import { buildReport } from './build-report.ts'
import { judgedSlice, readTrials } from './capacity/trials.ts'
import { findEarlierRun } from './find-earlier-run.ts'
import { type RenderInput, renderHtml } from './html/render-html.ts'
import { renderTimeline } from './html/render-timeline.ts'
import { capacitySlo } from './judge-slo.ts'
import { type JunitCase, junitText, type JunitOutcome as Outcome } from './junit-text.ts'
import { objectiveText, observedText } from './objective-text.ts'
import { readFindings } from './read-findings.ts'
import { readHistories } from './read-histories.ts'
import { renderSummary } from './render-summary.ts'
import { readRun, writeWhole } from './run-file.ts'
import { readSeries } from './series/read-series.ts'
import { readTimeline } from './timeline.ts'
import { type GivenHistory, judgeRunTrend } from './trend/run-trend.ts'
import { parseRuleGroup } from './verdict-counts.ts'

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
  const detail = trials.map(({ trial, rate, outcome, reason }) => `${trial}: ${rate}/s ${outcome}: ${reason}`)
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
  const run = await readRun(options.dir)
  const searched = await readTrials(path.join(options.dir, RUN_FILES.trials))
  const isCapacity = run.search !== null || searched.found
  const given = options.slo ?? run.slo
  const slo = isCapacity && given !== null ? capacitySlo(given) : given
  const [{ findings, notes }, read, timeline, histories] = await Promise.all([
    readFindings(path.join(options.dir, RUN_FILES.findings)),
    readSeries(path.join(options.dir, RUN_FILES.series), { slo, slices: searched.trials.map(judgedSlice) }),
    readTimeline(path.join(options.dir, RUN_FILES.timeline)),
    readHistories(path.join(options.dir, RUN_FILES.histories)),
  ])
  const catalogue = [...RULES, ...HISTORY_RULES, ...customRules(run)]
  const judged = buildReport({
    run,
    findings,
    series: read.series,
    seriesComplete: read.complete,
    seriesDamaged: read.damaged,
    trials: searched.trials,
    slices: read.slices,
    catalogue,
    dir: options.dir,
    earlier: await findEarlierRun(options.dir, run),
    notes: [
      ...read.notes,
      ...searched.notes,
      ...histories.notes,
      ...(isCapacity && run.rules.length === 0 ? [] : notes),
    ],
  })
  const { history } = options
  const of = { dir: options.dir, run, capacity: judged.capacity?.rate ?? null }
  const report = history === undefined ? judged : { ...judged, trend: await judgeRunTrend(of, history) }
  const input = {
    report,
    course: read.course,
    trials: searched.trials,
    catalogue,
    nowMs: options.nowMs ?? Date.now(),
    timeline,
    violations: histories.violations,
  }
  const formats = options.formats ?? REPORT_FORMATS
  await writeReport(options.dir, formats, input)
  if (formats.includes('html') && timeline !== undefined && run.repro !== null) {
    const page = renderTimeline({ report, caseRun: run.repro, timeline })
    await writeWhole(path.join(options.dir, RUN_FILES.timelineHtml), page)
  }
  return report
}

/** The rules of a custom scenario, which are not in the catalogue. */
function customRules(run: Run): Rule[] {
  return Object.entries(run.customRules).map(([id, expected]) => ({
    id,
    group: 'own',
    section: 'own scenario',
    statement: expected,
    expected,
    kind: 'server',
    how: '',
    takes: 'moments',
  }))
}

/** Renders all formats before it writes the first: the files of a run always agree. */
async function writeReport(dir: string, formats: readonly ReportFormat[], input: RenderInput): Promise<void> {
  const files = formats.map((format) => {
    const { file, render } = RENDERERS[format]
    return { file: path.join(dir, file), text: render(input) }
  })
  for (const { file, text } of files) await writeWhole(file, text)
}

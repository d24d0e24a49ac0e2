import type { ObjectiveResult, Report, RuleResult } from '../contract/report.ts'
import { objectiveText, observedText } from './objective-text.ts'
import { groupOf } from './verdict-counts.ts'
import { visible } from './visible.ts'

type TestCase = {
  suite: 'run' | 'rules' | 'slo'
  className: string
  name: string
  outcome: Outcome | undefined
}

type Outcome = { element: 'failure' | 'error' | 'skipped'; message: string; detail: string }

/** JUnit XML as CI systems read it: a test case a rule and an objective, and one for the run as a whole. */
export function renderJunit(report: Report): string {
  const cases = [runCase(report), ...report.rules.map(ruleCase(report)), ...objectiveCases(report)]
  const suites = (['run', 'rules', 'slo'] as const).map((suite) => renderSuite(suite, cases, report))
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name=${quoted(`breakwater ${report.job}`)} ${countAttributes(cases)}>`,
    ...suites.flat(),
    '</testsuites>',
    '',
  ].join('\n')
}

/** A run that was cut short, or judged nothing, must not look whole to who reads only this file. */
function runCase(report: Report): TestCase {
  const judged = report.verdict === 'pass' || report.verdict === 'fail'
  const message = report.notes[0] ?? report.verdict
  const outcome: Outcome = { element: 'error', message, detail: report.notes.join('\n') }
  return { suite: 'run', className: 'run', name: 'judged to its end', outcome: judged ? undefined : outcome }
}

function ruleCase({ run }: Report): (rule: RuleResult) => TestCase {
  return (rule) => ({
    suite: 'rules',
    className: groupOf(rule.id),
    name: rule.id,
    outcome: ruleOutcome(rule, inconclusiveElement(run)),
  })
}

function ruleOutcome(rule: RuleResult, inconclusive: Outcome['element']): Outcome | undefined {
  if (rule.verdict === 'pass') return undefined
  const detail = [`expected: ${rule.expected}`, `observed: ${rule.observed}`, ...rule.evidence].join('\n')
  if (rule.waiver !== null) {
    const message = `waived until ${rule.waiver.until}: ${rule.waiver.reason}`
    return { element: 'skipped', message, detail }
  }
  if (rule.verdict === 'fail') return { element: 'failure', message: rule.observed, detail }
  const element = rule.verdict === 'skipped' ? 'skipped' : inconclusive
  return { element, message: `${rule.verdict}: ${rule.reason ?? 'no reason given'}`, detail }
}

function objectiveCases({ slo, run }: Report): TestCase[] {
  return (slo?.objectives ?? []).map((objective) => ({
    suite: 'slo',
    className: 'slo',
    name: objectiveText(objective),
    outcome: objectiveOutcome(objective, inconclusiveElement(run)),
  }))
}

function objectiveOutcome(objective: ObjectiveResult, inconclusive: Outcome['element']): Outcome | undefined {
  if (objective.verdict === 'pass') return undefined
  const detail = `expected: ${objectiveText(objective)}\nobserved: ${observedText(objective)}`
  return objective.verdict === 'fail'
    ? { element: 'failure', message: observedText(objective), detail }
    : { element: inconclusive, message: `inconclusive: ${observedText(objective)}`, detail }
}

/** Where certainty was asked for, doubt is an error. */
function inconclusiveElement({ strict }: Report['run']): Outcome['element'] {
  return strict ? 'error' : 'skipped'
}

function renderSuite(suite: TestCase['suite'], all: readonly TestCase[], { run }: Report): string[] {
  const cases = all.filter((testCase) => testCase.suite === suite)
  if (cases.length === 0) return []
  return [
    `  <testsuite name="${suite}" ${countAttributes(cases)} timestamp=${quoted(run.startedAt)}>`,
    ...cases.flatMap(renderCase),
    '  </testsuite>',
  ]
}

function renderCase({ className, name, outcome }: TestCase): string[] {
  const opening = `    <testcase classname=${quoted(className)} name=${quoted(name)}`
  if (outcome === undefined) return [`${opening}/>`]
  const { element, message, detail } = outcome
  return [
    `${opening}>`,
    `      <${element} message=${quoted(message)}>${escapeXml(detail)}</${element}>`,
    '    </testcase>',
  ]
}

function countAttributes(cases: readonly TestCase[]): string {
  const countOf = (element: Outcome['element']) =>
    cases.filter(({ outcome }) => outcome?.element === element).length
  return `tests="${cases.length}" failures="${countOf('failure')}" errors="${countOf('error')}" skipped="${countOf('skipped')}"`
}

function quoted(text: string): string {
  return `"${escapeXml(text).replace(/[\t\n\r]/g, (character) => `&#${character.charCodeAt(0)};`)}"`
}

/** XML 1.0 has no way to write most control characters (section 2.2): they are shown as escapes instead. */
function escapeXml(text: string): string {
  return visible(text)
    .replace(/[\ufffe\uffff]/g, '\ufffd')
    .replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}

import { EXIT } from '../contract/breakwater-error.ts'
import type { ObjectiveResult, Report, RuleResult } from '../contract/report.ts'
import { type JunitCase, junitText, type JunitOutcome as Outcome } from './junit-text.ts'
import { objectiveText, observedText } from './objective-text.ts'
import { groupOf } from './verdict-counts.ts'

const SUITES = ['run', 'capacity', 'rules', 'slo'] as const

type TestCase = JunitCase & { suite: (typeof SUITES)[number] }

/** JUnit XML as CI systems read it: a test case a rule and an objective, and one for the run as a whole. */
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

/** A run that was cut short, or judged nothing, must not look whole to who reads only this file. */
function runCase(report: Report): TestCase {
  const judged = report.verdict === 'pass' || report.verdict === 'fail' || report.exitCode === EXIT.ok
  const message = report.notes[0] ?? report.verdict
  const outcome: Outcome = { element: 'error', message, detail: report.notes.join('\n') }
  return { suite: 'run', className: 'run', name: 'judged to its end', outcome: judged ? undefined : outcome }
}

/** What a search found, or whether a load was held. */
function capacityCases({ job, capacity, verdict, run }: Report): TestCase[] {
  if (capacity === null) return []
  const { statement, mix, trials } = capacity
  const detail = trials.map(
    ({ trial, rate, outcome, because }) => `${trial}: ${rate}/s ${outcome}: ${because}`,
  )
  const element = verdict === 'fail' ? 'failure' : openElementOf(run)
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
    className: groupOf(rule.id),
    name: rule.id,
    outcome: ruleOutcome(rule, openElementOf(run)),
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
    outcome: objectiveOutcome(objective, openElementOf(run)),
  }))
}

function objectiveOutcome(objective: ObjectiveResult, openElement: Outcome['element']): Outcome | undefined {
  if (objective.verdict === 'pass') return undefined
  const detail = `expected: ${objectiveText(objective)}\nobserved: ${observedText(objective)}`
  return objective.verdict === 'fail'
    ? { element: 'failure', message: observedText(objective), detail }
    : { element: openElement, message: `inconclusive: ${observedText(objective)}`, detail }
}

/** With --strict, whatever was selected and not judged is an error. */
function openElementOf({ strict }: Report['run']): Outcome['element'] {
  return strict ? 'error' : 'skipped'
}

import type { Comparison } from '../../contract/comparison.ts'
import type { Report } from '../../contract/report.ts'
import { objectiveText, observedText } from '../../reports/objective-text.ts'
import { verdictSentence } from '../../reports/verdict-counts.ts'
import type { Annotation } from './workflow-command.ts'

const NAMED_MAX = 5

/** What a pull request is told of a run: an error for each failure, at most `errorsMax`, and one warning of what is open. */
export function reportAnnotations(report: Report, errorsMax: number): Annotation[] {
  const { rules, slo, exitCode, job } = report
  const failedRules = rules.filter(({ verdict, waiver }) => verdict === 'fail' && waiver === null)
  const failures = exitCode === 0 ? [] : [...failedRules.map(ruleError), ...objectiveErrors(slo)]
  const open = rules.filter(({ verdict }) => verdict === 'inconclusive').map(({ id }) => id)
  const errors =
    failures.length === 0 && exitCode !== 0
      ? [error(`${job}: ${report.verdict}`, verdictSentence(report))]
      : bounded(failures, errorsMax)
  if (open.length === 0) return errors
  const named = open.slice(0, NAMED_MAX).join(', ')
  const more = open.length > NAMED_MAX ? ` and ${open.length - NAMED_MAX} more` : ''
  const title = `${open.length} of ${rules.length} rules are left open`
  return [...errors, { kind: 'warning', title, message: `${named}${more}: the report says why.` }]
}

/** The same of a comparison: an error for each figure that got worse. */
export function comparisonAnnotations(
  { differences, exitCode, verdict }: Comparison,
  errorsMax: number,
): Annotation[] {
  const worse = differences
    .filter((difference) => difference.verdict === 'worse')
    .map(({ name, routeGroup, metric, because }) =>
      error(`${metric} of ${name ?? (routeGroup === '*' ? 'the run' : routeGroup)}: worse`, because),
    )
  if (worse.length === 0 && exitCode !== 0) return [error(`compare: ${verdict}`, 'The report says why.')]
  return bounded(worse, errorsMax)
}

function ruleError({ id, expected, observed }: Report['rules'][number]): Annotation {
  return error(`${id}: failed`, `expected: ${expected}\nobserved: ${observed}`)
}

function objectiveErrors(slo: Report['slo']): Annotation[] {
  return (slo?.objectives ?? [])
    .filter(({ verdict }) => verdict === 'fail')
    .map((objective) => error('objective: failed', `${objectiveText(objective)}: ${observedText(objective)}`))
}

function error(title: string, message: string): Annotation {
  return { kind: 'error', title, message }
}

function bounded(errors: readonly Annotation[], errorsMax: number): Annotation[] {
  const left = errors.length - errorsMax
  if (left <= 0) return [...errors]
  const message = `${left} more are in the job's summary and in the report.`
  return [...errors.slice(0, errorsMax), { kind: 'notice', title: `${errors.length} failures`, message }]
}

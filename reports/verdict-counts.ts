import { NEEDS, type Verdict } from '../contract/finding.ts'
import type { Report, RuleResult } from '../contract/report.ts'
import { missedText } from './objective-text.ts'

export type VerdictCounts = Record<Verdict, number>

export type GroupCounts = { group: string; counts: VerdictCounts }

export function countByGroup(rules: readonly RuleResult[]): GroupCounts[] {
  const groups = new Set(rules.map((rule) => parseRuleGroup(rule.id)))
  return [...groups].map((group) => ({
    group,
    counts: countVerdicts(rules.filter((rule) => parseRuleGroup(rule.id) === group)),
  }))
}

export function countVerdicts(results: readonly { verdict: Verdict }[]): VerdictCounts {
  const counts: VerdictCounts = { fail: 0, inconclusive: 0, pass: 0, skipped: 0 }
  for (const { verdict } of results) counts[verdict] += 1
  return counts
}

export function parseRuleGroup(ruleId: string): string {
  return ruleId.split('.', 1)[0] ?? ruleId
}

/** Such as `pass: 160 of 172 rules judged and passed, 12 not judged (9 need --include-slow, 3 inconclusive)`. */
export function verdictSentence(report: Report): string {
  return `${report.verdict}: ${countSentence(report)}`
}

/** The same without the verdict; for a capacity search, its result. */
export function countSentence({ rules, slo, capacity, run }: Report): string {
  if (capacity !== null) return [...failedRules(rules), capacity.statement].join('; ')
  const objectives = slo?.objectives ?? []
  const missed = objectives.filter((objective) => objective.verdict === 'fail')
  const passed = objectives.filter((objective) => objective.verdict === 'pass').length
  const sentences = [
    ...(missed.length === 0
      ? []
      : [
          `${missed.length} of ${objectives.length} objectives missed (${missed.map(missedText).join('; ')})`,
        ]),
    ...(rules.length === 0 ? [] : [rulesSentence(rules)]),
    ...(missed.length === objectives.length ? [] : [`${passed} of ${objectives.length} objectives passed`]),
    ...(run.sloSkipped === null ? [] : [`objectives not judged (${run.sloSkipped})`]),
  ]
  return sentences.length === 0 ? 'nothing to judge' : sentences.join('; ')
}

/** A load judges only the rules of histories. */
function failedRules(rules: readonly RuleResult[]): string[] {
  const failed = rules.filter(({ verdict, waiver }) => verdict === 'fail' && waiver === null)
  if (failed.length === 0) return []
  return [`${failed.length} of ${rules.length} rules failed (${failed.map(({ id }) => id).join(', ')})`]
}

export function countJudged(rules: readonly Pick<RuleResult, 'verdict'>[]): number {
  const { pass, fail } = countVerdicts(rules)
  return pass + fail
}

function rulesSentence(rules: readonly RuleResult[]): string {
  const { fail } = countVerdicts(rules)
  const judged = countJudged(rules)
  const waived = rules.filter(({ waiver }) => waiver !== null).length
  const outcome =
    fail > 0
      ? `, ${fail} failed${waived > 0 ? ` (${waived} of them waived)` : ''}`
      : judged > 0
        ? ' and passed'
        : ''
  const open = rules.length - judged
  return [
    `${judged} of ${rules.length} rules judged${outcome}`,
    ...(open === 0 ? [] : [`${open} not judged (${whyNotJudged(rules)})`]),
  ].join(', ')
}

/** The most frequent need first; skips without a known need and inconclusive rules last. */
function whyNotJudged(rules: readonly RuleResult[]): string {
  const skipped = rules.filter(({ verdict }) => verdict === 'skipped')
  const needed = Object.entries(NEEDS)
    .map(([need, what]) => ({ what, count: skipped.filter(({ needs }) => needs === need).length }))
    .filter(({ count }) => count > 0)
    .sort((one, other) => other.count - one.count)
  const unexplained = skipped.filter(({ needs }) => needs === null).length
  const { inconclusive } = countVerdicts(rules)
  return [
    ...needed.map(({ what, count }) => `${count} ${count === 1 ? 'needs' : 'need'} ${what}`),
    ...(unexplained === 0 ? [] : [`${unexplained} skipped`]),
    ...(inconclusive === 0 ? [] : [`${inconclusive} inconclusive`]),
  ].join(', ')
}

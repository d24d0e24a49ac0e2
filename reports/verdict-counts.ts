import { VERDICTS, type Verdict } from '../contract/finding.ts'
import type { Report, RuleResult } from '../contract/report.ts'

export type VerdictCounts = Record<Verdict, number>

export type GroupCounts = { group: string; counts: VerdictCounts }

/** Rules by verdict in each group, in the order of the rules. */
export function countByGroup(rules: readonly RuleResult[]): GroupCounts[] {
  const groups = new Set(rules.map((rule) => groupOf(rule.id)))
  return [...groups].map((group) => ({
    group,
    counts: countVerdicts(rules.filter((rule) => groupOf(rule.id) === group)),
  }))
}

/** How many results have each verdict. */
export function countVerdicts(results: readonly { verdict: Verdict }[]): VerdictCounts {
  const counts: VerdictCounts = { fail: 0, inconclusive: 0, pass: 0, skipped: 0 }
  for (const { verdict } of results) counts[verdict] += 1
  return counts
}

/** A rule's group is the first word of its id. */
export function groupOf(ruleId: string): string {
  return ruleId.split('.', 1)[0] ?? ruleId
}

/** A run in one sentence: `fail: of 26 rules 1 failed, 25 held; 5 of 6 objectives held`. */
export function verdictSentence(report: Report): string {
  return `${report.verdict}: ${countSentence(report)}`
}

/** The same without the verdict itself; of a search for capacity, what it found. */
export function countSentence({ rules, slo, capacity }: Report): string {
  if (capacity !== null) return capacity.statement
  const counts = countVerdicts(rules)
  const waived = rules.filter(({ waiver }) => waiver !== null).length
  const said = VERDICTS.filter((each) => counts[each] > 0).map(
    (each) =>
      `${counts[each]} ${SAID[each]}${each === 'fail' && waived > 0 ? ` (${waived} of them waived)` : ''}`,
  )
  const objectives = slo?.objectives ?? []
  const held = objectives.filter((objective) => objective.verdict === 'pass').length
  return [
    `of ${rules.length} rules ${said.length === 0 ? 'none was judged' : said.join(', ')}`,
    ...(objectives.length === 0 ? [] : [`${held} of ${objectives.length} objectives held`]),
  ].join('; ')
}

const SAID: Readonly<Record<Verdict, string>> = {
  fail: 'failed',
  inconclusive: 'inconclusive',
  pass: 'held',
  skipped: 'skipped',
}

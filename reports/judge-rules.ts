import { type Finding, weakestVerdict } from '../contract/finding.ts'
import type { RuleResult } from '../contract/report.ts'
import type { Rule } from '../contract/rule.ts'

export const NO_FINDING = 'no finding: the scenario that probes it ended early or never ran'

export type RulesJudged = {
  /** One a selected rule, in the order of the run. */
  rules: RuleResult[]
  /** Findings that decide nothing because the catalogue does not have their rule. */
  unknownRules: string[]
  notes: string[]
}

/** Folds findings into a verdict for each rule that the run set out to judge. */
export function judgeRules(options: {
  selected: readonly string[]
  findings: readonly Finding[]
  catalogue: readonly Rule[]
}): RulesJudged {
  const byId = new Map(options.catalogue.map((rule) => [rule.id, rule]))
  const byRule = findingsByRule(options.findings)
  const selected = new Set(options.selected)
  const unselected = [...byRule.keys()].filter((id) => byId.has(id) && !selected.has(id))
  return {
    rules: [...selected].map((id) => judgeRule(id, byRule.get(id) ?? [], byId.get(id))),
    unknownRules: [...byRule.keys()].filter((id) => !byId.has(id) && !selected.has(id)).sort(),
    notes: noteUnselected(unselected, byRule),
  }
}

function findingsByRule(findings: readonly Finding[]): Map<string, Finding[]> {
  const byRule = new Map<string, Finding[]>()
  for (const finding of findings) {
    const sameRule = byRule.get(finding.rule)
    if (sameRule === undefined) byRule.set(finding.rule, [finding])
    else sameRule.push(finding)
  }
  return byRule
}

function judgeRule(id: string, findings: readonly Finding[], rule: Rule | undefined): RuleResult {
  const verdict = weakestVerdict(findings.map((finding) => finding.verdict))
  const decisive = findings.find((finding) => finding.verdict === verdict)
  if (decisive === undefined) {
    return {
      id,
      verdict: 'inconclusive',
      expected: rule?.expected ?? '',
      observed: '',
      evidence: [],
      reason: NO_FINDING,
      needs: null,
      waiver: null,
    }
  }
  const { expected, observed, evidence, reason, needs } = decisive
  return {
    id,
    verdict: decisive.verdict,
    expected,
    observed,
    evidence,
    reason: reason ?? null,
    needs: needs ?? null,
    waiver: null,
  }
}

/** A failure is said even where nobody asked for its rule. */
function noteUnselected(ids: readonly string[], byRule: ReadonlyMap<string, readonly Finding[]>): string[] {
  const failing = ids.filter((id) => byRule.get(id)?.some((finding) => finding.verdict === 'fail'))
  if (failing.length === 0) return []
  return [`Not selected, so not counted, but seen to fail: ${failing.sort().join(', ')}.`]
}

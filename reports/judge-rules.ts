import { type Finding, weakestVerdict } from '../contract/finding.ts'
import { LIMIT_RULES, type TestedLimit } from '../contract/limit-rules.ts'
import type { LimitResult, RuleResult } from '../contract/report.ts'
import type { Rule } from '../contract/rule.ts'
import { ruleById } from '../contract/rules.ts'
import type { Run } from '../contract/run.ts'

export const NO_FINDING = 'no finding: the scenario that probes it ended early or never ran'

export type RulesJudged = {
  rules: RuleResult[]
  /** Rules of findings that are not in the catalogue; these findings are ignored. */
  unknownRules: string[]
  notes: string[]
}

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

/** A failure is reported even if its rule was not selected. */
function noteUnselected(ids: readonly string[], byRule: ReadonlyMap<string, readonly Finding[]>): string[] {
  const failing = ids.filter((id) => byRule.get(id)?.some((finding) => finding.verdict === 'fail'))
  if (failing.length === 0) return []
  return [`Failed but not selected, so not counted: ${failing.sort().join(', ')}.`]
}

/** A row for each limit of the specification, from the rules that test it. Empty if none of these was selected. */
export function judgeLimits(rules: readonly RuleResult[], run: Pick<Run, 'command'>): LimitResult[] {
  const byId = new Map(rules.map((rule) => [rule.id, rule]))
  const rows = Object.entries(LIMIT_RULES).map(([id, limit]) => ({
    ...judgeLimit(id, limit, byId),
    command: ruleCommand(run.command, limit.rules),
  }))
  return rows.some((row) => row.rules.length > 0) ? rows : []
}

/** The weakest verdict decides; observations and reasons come from the rules that have it. */
function judgeLimit(
  id: string,
  limit: TestedLimit,
  byId: ReadonlyMap<string, RuleResult>,
): Omit<LimitResult, 'command'> {
  const results = limit.rules.flatMap((rule) => byId.get(rule) ?? [])
  const verdict = weakestVerdict(results.map((result) => result.verdict))
  const decisive = results.filter((result) => result.verdict === verdict)
  const { name, appliesTo, specified } = limit
  return {
    id,
    name,
    appliesTo,
    specified,
    verdict: verdict ?? 'skipped',
    observed: joined(decisive.map(({ observed }) => observed)),
    reason:
      verdict === undefined
        ? 'not selected for this run'
        : joined(decisive.map(({ reason }) => reason ?? '')) || null,
    rules: results.map((result) => result.id),
  }
}

function joined(texts: readonly string[]): string {
  return [...new Set(texts.filter((text) => text !== ''))].join('; ')
}

/** Options of a smoke run that affect what is judged, not the selection or the output. */
const KEPT = ['--target', '--world', '--seed', '--choices', '--mutant', '--confirm', '--max-requests']

export function ruleCommand(command: string, rules: readonly string[]): string {
  const kept = keptOptions(shellWords(command))
  // Against the stub --include-slow has no effect, because its clock is moved.
  const slow = rules.some((id) => ruleById(id)?.takes === '15 minutes') && hasOption(kept, '--target')
  return [
    'breakwater',
    'smoke',
    ...kept,
    '--rules',
    rules.join(','),
    '--no-load',
    ...(slow ? ['--include-slow'] : []),
  ].join(' ')
}

function keptOptions(words: readonly string[]): string[] {
  return words.flatMap((word, index) => {
    if (KEPT.some((name) => word.startsWith(`${name}=`))) return [word]
    const value = words[index + 1]
    return KEPT.includes(word) && value !== undefined ? [word, value] : []
  })
}

function hasOption(words: readonly string[], name: string): boolean {
  return words.some((word) => word === name || word.startsWith(`${name}=`))
}

/** The words of a command line with their quotes, so they need no quoting again. */
export function shellWords(command: string): string[] {
  return command.match(/(?:[^\s'\\]|\\.|'[^']*')+/gs) ?? []
}

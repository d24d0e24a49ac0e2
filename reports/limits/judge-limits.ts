import { weakestVerdict } from '../../contract/finding.ts'
import type { LimitResult } from '../../contract/limit-result.ts'
import { LIMIT_RULES, type TestedLimit } from '../../contract/limit-rules.ts'
import type { RuleResult } from '../../contract/report.ts'
import { ruleById } from '../../contract/rules.ts'
import type { Run } from '../../contract/run.ts'
import { shellWords } from '../shell-words.ts'

/**
 * A row for each limit that the specification names, by the findings on the rules that test it; none where the run was to
 * judge none of them.
 */
export function judgeLimits(rules: readonly RuleResult[], run: Pick<Run, 'command'>): LimitResult[] {
  const byId = new Map(rules.map((rule) => [rule.id, rule]))
  const rows = Object.entries(LIMIT_RULES).map(([id, limit]) => ({
    ...judgeLimit(id, limit, byId),
    command: ruleCommand(run.command, limit.rules),
  }))
  return rows.some((row) => row.rules.length > 0) ? rows : []
}

/** The weakest verdict decides; of the rules that have it, each says what was observed, or why nothing was. */
function judgeLimit(
  id: string,
  limit: TestedLimit,
  byId: ReadonlyMap<string, RuleResult>,
): Omit<LimitResult, 'command'> {
  const results = limit.rules.flatMap((rule) => byId.get(rule) ?? [])
  const verdict = weakestVerdict(results.map((result) => result.verdict))
  const decisive = results.filter((result) => result.verdict === verdict)
  const { name, appliesTo, promised } = limit
  return {
    id,
    name,
    appliesTo,
    promised,
    verdict: verdict ?? 'skipped',
    observed: joined(decisive.map(({ observed }) => observed)),
    reason:
      verdict === undefined
        ? 'the run was not asked to judge it'
        : joined(decisive.map(({ reason }) => reason ?? '')) || null,
    rules: results.map((result) => result.id),
  }
}

function joined(texts: readonly string[]): string {
  return [...new Set(texts.filter((text) => text !== ''))].join('; ')
}

/** Options of a smoke run that say what is judged, and not which part of it, or how that is told. */
const KEPT = ['--target', '--world', '--seed', '--choices', '--mutant', '--confirm', '--max-requests']

/** The command line that judges these rules alone against what the run judged, to be pasted into a shell. */
export function ruleCommand(command: string, rules: readonly string[]): string {
  const kept = keptOptions(shellWords(command))
  // Against the stub it changes nothing: there the clock is moved.
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

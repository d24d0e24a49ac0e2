import { matchesGlob } from '../contract/match-glob.ts'
import type { RuleResult } from '../contract/report.ts'
import type { Run } from '../contract/run.ts'
import { hasEnded, type Waiver, waiverOf } from '../contract/waiver.ts'

/**
 * Puts its waiver beside each failure that has one on the day of the run, so that the run is judged alike whenever it is
 * rendered. What must be said of the waivers themselves comes in sentences.
 */
export function waiveFailures(
  rules: readonly RuleResult[],
  { waivers, startedAt }: Pick<Run, 'waivers' | 'startedAt'>,
): { rules: RuleResult[]; notes: string[] } {
  const day = startedAt.slice(0, 10)
  const waived = rules.map((rule) =>
    rule.verdict === 'fail' ? { ...rule, waiver: shown(waiverOf(rule.id, waivers, day)) } : rule,
  )
  return { rules: waived, notes: waivers.flatMap((waiver) => noteOf(waiver, waived, day)) }
}

function shown(waiver: Waiver | null): RuleResult['waiver'] {
  return waiver === null ? null : { reason: waiver.reason, until: waiver.until }
}

function noteOf(waiver: Waiver, rules: readonly RuleResult[], day: string): string[] {
  const { rule, until, reason } = waiver
  const those = rules.filter(({ id }) => matchesGlob(rule, id))
  const failed = those.some(({ verdict }) => verdict === 'fail')
  if (hasEnded(waiver, day)) return [`The waiver of ${rule} ended on ${until} and counts no more: ${reason}.`]
  if (failed || those.length === 0 || those.some(({ verdict }) => verdict !== 'pass')) return []
  return [`The waiver of ${rule} until ${until} is not needed any more: nothing of it failed.`]
}

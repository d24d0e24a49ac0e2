import type { Finding, Verdict } from '../../../contract/finding.ts'
import { CannotJudge, CannotProbe } from './cannot.ts'

type Said = { observed?: string; evidence?: readonly string[]; reason?: string }

/** Where a probe says what it saw. Each rule of the probe gets one verdict; the first word counts. */
export type Judge = {
  pass(rule: string, observed: string, evidence?: readonly string[]): void
  fail(rule: string, observed: string, evidence?: readonly string[]): void
  inconclusive(rule: string, reason: string, evidence?: readonly string[]): void
  skip(rule: string, reason: string): void
  /** Pass where `holds`, else fail. */
  that(rule: string, holds: boolean, observed: string, evidence?: readonly string[]): void
}

/**
 * Runs a probe and hands one finding for each of its rules to `emit`. A rule that the probe left open is inconclusive,
 * never passed: also when the probe throws, whatever it throws.
 */
export async function judgeProbe(options: {
  rules: readonly string[]
  expectedOf: (rule: string) => string
  run: (judge: Judge) => Promise<void>
  scenario: string
  nowMs: () => number
  emit: (finding: Finding) => void
}): Promise<void> {
  const open = new Set(options.rules)
  const say = (rule: string, verdict: Verdict, said: Said) => {
    if (!open.delete(rule)) return
    options.emit({
      finding: 1,
      rule,
      verdict,
      expected: options.expectedOf(rule),
      observed: said.observed ?? '',
      evidence: [...(said.evidence ?? [])],
      ...(said.reason === undefined ? {} : { reason: said.reason }),
      scenario: options.scenario,
      at: options.nowMs(),
    })
  }
  const judge: Judge = {
    pass: (rule, observed, evidence = []) => say(rule, 'pass', { observed, evidence }),
    fail: (rule, observed, evidence = []) => say(rule, 'fail', { observed, evidence }),
    inconclusive: (rule, reason, evidence = []) => say(rule, 'inconclusive', { reason, evidence }),
    skip: (rule, reason) => say(rule, 'skipped', { reason }),
    that: (rule, holds, observed, evidence = []) =>
      say(rule, holds ? 'pass' : 'fail', { observed, evidence }),
  }
  let left: { verdict: Verdict; reason: string } = {
    verdict: 'inconclusive',
    reason: 'the probe ended without a verdict on it',
  }
  try {
    await options.run(judge)
  } catch (error) {
    left = whyItStopped(error)
  }
  for (const rule of [...open]) say(rule, left.verdict, { reason: left.reason })
}

function whyItStopped(error: unknown): { verdict: Verdict; reason: string } {
  if (error instanceof CannotProbe) return { verdict: 'skipped', reason: error.message }
  if (error instanceof CannotJudge) return { verdict: 'inconclusive', reason: error.message }
  const message = error instanceof Error ? (error.stack ?? error.message) : String(error)
  return { verdict: 'inconclusive', reason: `the probe broke on what it saw: ${message}` }
}

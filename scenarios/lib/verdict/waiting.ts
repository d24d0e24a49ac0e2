import type { Target } from '../../../contract/scenario-config.ts'

const rulesByTarget = new WeakMap<Target, readonly string[]>()

/** A probe is known by the target it was handed. */
export function waitsFor(target: Target, rules: readonly string[]): void {
  rulesByTarget.set(target, rules)
}

const WORTH_TELLING_MS = 3000

/** Tells the command, beside the findings, what is waited for and until when. */
export function tellWaiting(target: Target, ms: number): void {
  const rules = rulesByTarget.get(target)
  if (rules === undefined || ms < WORTH_TELLING_MS) return
  console.log(JSON.stringify({ waiting: 1, rules, untilMs: Date.now() + ms }))
}

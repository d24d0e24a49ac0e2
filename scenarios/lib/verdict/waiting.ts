import type { Target } from '../../../contract/scenario-config.ts'

const rulesByTarget = new WeakMap<Target, readonly string[]>()

/** Identifies a probe by its target object. */
export function waitsFor(target: Target, rules: readonly string[]): void {
  rulesByTarget.set(target, rules)
}

const REPORTED_MS_MIN = 3000

/** Prints a progress line for the command: the rules that wait, and until when. */
export function reportWaiting(target: Target, ms: number): void {
  const rules = rulesByTarget.get(target)
  if (rules === undefined || ms < REPORTED_MS_MIN) return
  console.log(JSON.stringify({ waiting: 1, rules, untilMs: Date.now() + ms }))
}

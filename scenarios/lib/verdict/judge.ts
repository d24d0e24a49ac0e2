import type { Finding, Need, Verdict } from '../../../contract/finding.ts'
import type { Target } from '../../../contract/scenario-config.ts'

type Said = { observed?: string; evidence?: readonly string[]; reason?: string; needs?: Need | undefined }

/** Collects a probe's verdicts. The first verdict on a rule counts. */
export type Judge = {
  pass(rule: string, observed: string, evidence?: readonly string[]): void
  fail(rule: string, observed: string, evidence?: readonly string[]): void
  inconclusive(rule: string, reason: string, evidence?: readonly string[]): void
  skip(rule: string, reason: string, needs?: Need): void
  /** Passes if `holds`, else fails. */
  that(rule: string, holds: boolean, observed: string, evidence?: readonly string[]): void
}

/**
 * Runs a probe and emits one finding per rule. Open rules are inconclusive, never passed, also if the probe
 * throws. While rules are inconclusive and `again` returns true, the probe runs again.
 */
export async function judgeProbe(options: {
  rules: readonly string[]
  getExpected: (rule: string) => string
  run: (judge: Judge) => Promise<void>
  scenario: string
  nowMs: () => number
  emit: (finding: Finding) => void
  again?: () => boolean
}): Promise<void> {
  const open = new Set(options.rules)
  /** Inconclusive in this attempt; a later attempt may decide them. */
  const inconclusive = new Map<string, Said>()
  const say = (rule: string, verdict: Verdict, said: Said) => {
    if (!open.has(rule) || inconclusive.has(rule)) return
    if (verdict === 'inconclusive') inconclusive.set(rule, said)
    else emit(rule, verdict, said)
  }
  const emit = (rule: string, verdict: Verdict, said: Said) => {
    open.delete(rule)
    options.emit({
      finding: 1,
      rule,
      verdict,
      expected: options.getExpected(rule),
      observed: bounded(said.observed ?? ''),
      evidence: (said.evidence ?? []).slice(0, EVIDENCE_MAX).map(bounded),
      ...(said.reason === undefined ? {} : { reason: bounded(said.reason) }),
      ...(said.needs === undefined ? {} : { needs: said.needs }),
      scenario: options.scenario,
      at: options.nowMs(),
    })
  }
  const judge: Judge = {
    pass: (rule, observed, evidence = []) => say(rule, 'pass', { observed, evidence }),
    fail: (rule, observed, evidence = []) => say(rule, 'fail', { observed, evidence }),
    inconclusive: (rule, reason, evidence = []) => say(rule, 'inconclusive', { reason, evidence }),
    skip: (rule, reason, needs) => say(rule, 'skipped', { reason, needs }),
    that: (rule, holds, observed, evidence = []) =>
      say(rule, holds ? 'pass' : 'fail', { observed, evidence }),
  }
  do {
    inconclusive.clear()
    const left = await tryOnce(() => options.run(judge))
    for (const rule of [...open]) say(rule, left.verdict, left)
  } while (open.size > 0 && options.again?.() === true)
  for (const [rule, doubt] of inconclusive) emit(rule, 'inconclusive', doubt)
}

async function tryOnce(run: () => Promise<void>): Promise<Left> {
  try {
    await run()
    return { verdict: 'inconclusive', reason: 'the probe ended without a verdict on it' }
  } catch (error) {
    return whyItStopped(error)
  }
}

type Left = { verdict: Verdict; reason: string; needs?: Need | undefined }

function whyItStopped(error: unknown): Left {
  if (error instanceof CannotProbe) return { verdict: 'skipped', reason: error.message, needs: error.needs }
  if (error instanceof CannotJudge) return { verdict: 'inconclusive', reason: error.message }
  const message = error instanceof Error ? (error.stack ?? error.message) : String(error)
  return { verdict: 'inconclusive', reason: `the probe failed with an error: ${message}` }
}

/** Bounds findings, because a target's texts may have any length. */
const TEXT_MAX = 4000
const EVIDENCE_MAX = 50

function bounded(text: string): string {
  if (text.length <= TEXT_MAX) return text
  return `${text.slice(0, TEXT_MAX)}… (${text.length - TEXT_MAX} more characters)`
}

/**
 * Judges one of several rules independently: an error in `look` affects this rule only. NotServed fails it.
 */
export async function byItself(judge: Judge, rule: string, check: () => Promise<void>): Promise<void> {
  try {
    await check()
  } catch (error) {
    if (error instanceof CannotProbe) judge.skip(rule, error.message, error.needs)
    else if (error instanceof NotServed) judge.fail(rule, error.message, error.evidence)
    else if (error instanceof CannotJudge) judge.inconclusive(rule, error.message)
    else throw error
  }
}

/**
 * Returns a judge that holds back passes until `release`, so that later observations can still fail a rule.
 */
export function holdPasses(judge: Judge): { held: Judge; release: () => void } {
  const passes: Parameters<Judge['pass']>[] = []
  const pass: Judge['pass'] = (...said) => void passes.push(said)
  return {
    held: {
      ...judge,
      pass,
      that: (rule, holds, ...said) => (holds ? pass(rule, ...said) : judge.fail(rule, ...said)),
    },
    release() {
      for (const said of passes) judge.pass(...said)
    },
  }
}

/** Returns a judge that reports only failures, for a check that adds to one which decides the rule. */
export function reportFailuresOnly(judge: Judge): Judge {
  const ignore = () => {}
  return {
    fail: judge.fail,
    pass: ignore,
    inconclusive: ignore,
    skip: ignore,
    that: (rule, holds, ...said) => {
      if (!holds) judge.fail(rule, ...said)
    },
  }
}

/** Thrown by a probe that saw too little: its open rules become inconclusive. */
export class CannotJudge extends Error {}

/** Thrown if a promised read is never served while its sibling is. */
export class NotServed extends CannotJudge {
  readonly evidence: readonly string[]

  constructor(message: string, evidence: readonly string[]) {
    super(message)
    this.evidence = evidence
  }
}

/** Thrown by a probe that cannot run on this target or with these credentials: its open rules are skipped. */
export class CannotProbe extends Error {
  /** Input from the user that would let it run, if known. */
  readonly needs: Need | undefined

  constructor(message: string, needs?: Need) {
    super(message)
    this.needs = needs
  }
}

/** Runs a check that others do not depend on: one that cannot run, or cannot judge, changes nothing. */
export async function unlessCannot(check: () => Promise<void>): Promise<void> {
  try {
    await check()
  } catch (error) {
    if (!(error instanceof CannotProbe || error instanceof CannotJudge)) throw error
  }
}

/** Like unlessCannot, and returns the result. */
export async function ifPossible<Made>(make: () => Promise<Made>): Promise<Made | undefined> {
  const made: Made[] = []
  await unlessCannot(async () => void made.push(await make()))
  return made[0]
}

/** Returns a profile choice. Throws CannotProbe if it is null. */
export function requireChoice<Choice>(choice: Choice | null, what: string): Choice {
  if (choice === null) throw new CannotProbe(`the profile does not state ${what}`, 'choice')
  return choice
}

/** Throws CannotProbe if the profile forbids irreversible changes. */
export function mustAllowMutations({ profile }: Target, what: string): void {
  if (!profile.allow.mutations)
    throw new CannotProbe(`${what}: the profile does not allow mutations`, 'mutations')
}

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

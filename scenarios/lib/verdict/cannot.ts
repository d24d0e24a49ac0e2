import type { Need } from '../../../contract/finding.ts'
import type { Target } from '../../../contract/scenario-config.ts'

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

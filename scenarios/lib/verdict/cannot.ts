import type { Need } from '../../../contract/finding.ts'
import type { Target } from '../../../contract/scenario-config.ts'

/** Thrown by a probe that saw too little to judge: its open rules become inconclusive. */
export class CannotJudge extends Error {}

/** Thrown where a read that the interface promises is never served, while its sibling is. */
export class NotServed extends CannotJudge {
  readonly evidence: readonly string[]

  constructor(message: string, evidence: readonly string[]) {
    super(message)
    this.evidence = evidence
  }
}

/** Thrown by a probe that this target or these credentials leave no way to run: its open rules are skipped. */
export class CannotProbe extends Error {
  /** What would have to be given for it to run, if that is known. */
  readonly needs: Need | undefined

  constructor(message: string, needs?: Need) {
    super(message)
    this.needs = needs
  }
}

/** A choice of the profile that a probe cannot do without. Throws CannotProbe where it is null. */
export function told<Choice>(choice: Choice | null, what: string): Choice {
  if (choice === null) throw new CannotProbe(`the profile does not tell ${what}`, 'choice')
  return choice
}

/** Throws CannotProbe where the profile does not let a run change what cannot be taken back. */
export function mustAllowMutations({ profile }: Target, what: string): void {
  if (!profile.allow.mutations)
    throw new CannotProbe(`${what}: the profile does not allow mutations`, 'mutations')
}

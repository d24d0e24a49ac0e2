import type { Need } from '../../../contract/finding.ts'

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

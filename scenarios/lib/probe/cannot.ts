/** Thrown by a probe that saw too little to judge: its open rules become inconclusive. */
export class CannotJudge extends Error {}

/** Thrown by a probe that this target or these credentials leave no way to run: its open rules are skipped. */
export class CannotProbe extends Error {}

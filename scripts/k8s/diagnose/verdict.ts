/** Who has to do something: whoever made the runners' image or settings, the cluster's, the operator's, or the target's people. */
export type Whose = 'runner' | 'cluster' | 'operator' | 'target'

/** What is wrong with one pod. */
export type Trouble = {
  /** What follows `runner 2: `, without a full stop. */
  sentence: string
  hint: string
  whose: Whose
  /** Whether waiting may help: another node, another's quota, a registry that is back. */
  mayHeal: boolean
}

/**
 * What a runner, or the starter, is at. `unmade`: the operator has not made its Job; `paused`: k6 is up and waits for the
 * starter; `ended`: as it should.
 */
export type Standing =
  | { at: 'unmade' | 'waiting' | 'paused' | 'running' | 'ended' }
  | { at: 'troubled'; trouble: Trouble }
  | { at: 'failed'; trouble: Trouble; exitCode: number | null; failedAt: string | null }

export type RunnerState = { runner: number; pod: string | null } & Standing

/** What is to be done: wait for what `why` names; go on; take what there is; or give up. */
export type Verdict = { kind: 'waiting'; why: string } | { kind: 'running' } | { kind: 'ended' } | Failure

/** `runner`: the number of one whose log may tell more. */
export type Failure = {
  kind: 'failed'
  sentence: string
  hint: string
  whose: Whose
  runner: number | null
}

import type { Profile } from '../../contract/profile.ts'
import type { TargetAnswer } from '../ask-target.ts'

/** Something that was tried: what came of it, or why nothing did, with what may be done. */
export type Tried<Value> = { value: Value } | { failure: string; hint?: string | undefined }

/** What `breakwater doctor --target` knows of a target; look-at-target.ts finds it out, the checks judge it. */
export type TargetFacts = {
  profile: Profile
  /** How many there are, and how many with a key; null: the profile names none. */
  wallets: Tried<{ count: number; withKey: number }> | null
  ca: Tried<unknown> | null
  /** How many the environment holds; never which. */
  apiTokens: number
  /** Null: the profile names no control API. */
  control: Tried<'token taken' | 'no token'> | null
  rest: Tried<TargetAnswer>
  feed: Tried<TargetAnswer>
  /** Whether a read that every exchange has is answered as by one. */
  serves: Tried<unknown>
  metrics: Tried<TargetAnswer> | null
}

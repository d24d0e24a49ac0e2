/**
 * What the specification calls "not shown", decided for the stub: sets of decisions, each whole, passed in wherever one is
 * needed. What the target profile (contract/profile.ts) can name stands in `profile`, there and nowhere else.
 */
import type { Choices as ProfileChoices } from '../../contract/profile.ts'
import type { ExploreSort, MetricWindow } from '../indexer/views.ts'
import type { FeedChoices } from './feed-choices.ts'
import { plain } from './plain.ts'
import type { Wire } from './wire.ts'

export type Choices = {
  readonly name: string
  /** Names and dotted paths, all told: the stub's own profile shows them as they are here. */
  readonly profile: Told<Omit<ProfileChoices, 'rateLimit' | 'publicPaths'>>
  /** How what is exact inside is spelt on the wire. */
  readonly wire: Wire
  /** Public reads whose paths are open; the profile lists them. */
  readonly paths: { readonly compliance: string; readonly exploreTokens: string }
  readonly cookies: {
    readonly path: string
    readonly sameSite: 'lax' | 'strict'
  }
  readonly challenge: {
    /** A nonce signs in once, and only for so long. */
    readonly lifetimeSeconds: number
    /** Challenges of one wallet that may be open at once; the oldest makes room. */
    readonly openMax: number
    readonly addressLengthMax: number
    readonly signatureLengthMax: number
    /** The text to sign; the address comes as it stands on the wire. */
    message(options: { address: string; nonce: string; issuedAtMs: number }): string
  }
  readonly refresh: {
    /** From the last refresh; then the session has ended. */
    readonly lifetimeSeconds: number
  }
  readonly apiTokens: {
    readonly nameLengthMin: number
    readonly nameLengthMax: number
    /** Optional; without it a token does not expire. */
    readonly expiresInDaysMin: number
    readonly expiresInDaysMax: number
    /** `ss_` and some characters of the secret. */
    readonly prefixLength: number
  }
  readonly paging: {
    readonly limitDefault: number
    /** Bounds of `limit` on every list are those of LIMITS; the specification states them for two of the lists. */
    readonly offsetMax: number
  }
  readonly explorePools: {
    readonly windowDefault: MetricWindow
    /** Values of `sort`, and the field of the row that each sorts by. */
    readonly sorts: Readonly<Record<string, ExploreSort>>
    readonly sortDefault: string
    readonly orderDefault: 'asc' | 'desc'
    readonly searchLengthMax: number
  }
  readonly amountInMax: bigint
  /** The longest token id or pool key that a request may carry. */
  readonly keyLengthMax: number
  readonly pendingRevision: { readonly retryAfterSeconds: number }
  readonly bodyBytesMax: number
  readonly feed: FeedChoices
}

/** As the profile has it, with nothing left untold. */
export type Told<Value> = Value extends readonly (infer Item)[]
  ? readonly Item[]
  : Value extends object
    ? { readonly [Key in keyof Value]: Told<NonNullable<Value[Key]>> }
    : Value

/** The sets, by the name that `--choices` takes. */
export const CHOICE_SETS = { plain } as const satisfies Record<string, Choices>

export type ChoiceSetName = keyof typeof CHOICE_SETS

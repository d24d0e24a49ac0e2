/**
 * What the specification calls "not shown", decided for the stub: sets of decisions, each whole, passed in wherever one is
 * needed. What the target profile (contract/profile.ts) can name stands in `profile`, there and nowhere else.
 */
import type { ChoiceSetName } from '../../contract/choice-set-name.ts'
import type { Choices as ProfileChoices } from '../../contract/profile.ts'
import type { CandleInterval } from '../indexer/candle-interval.ts'
import type { ExploreSort, MetricWindow } from '../indexer/views/explore-views.ts'
import type { ErrorCode } from './error-codes.ts'
import type { FeedChoices } from './feed-choices.ts'
import { odd } from './odd.ts'
import { plain } from './plain.ts'
import { replicated } from './replicated.ts'
import type { Wire } from './wire.ts'

export type Choices = {
  readonly name: ChoiceSetName
  /** Names and dotted paths, all told: the stub's own profile shows them as they are here. */
  readonly profile: Told<Omit<ProfileChoices, 'rateLimit' | 'publicPaths'>>
  /** How what is exact inside is spelt on the wire. */
  readonly wire: Wire
  /** Fields that nobody asked for, in every body and every event. */
  readonly extraFields: Readonly<Record<string, unknown>>
  /** Public reads whose paths are open; the profile lists them. */
  readonly paths: { readonly compliance: string; readonly exploreTokens: string }
  readonly errors: {
    /** Where the specification leaves a status open, the one in place of that in ERRORS. */
    readonly statuses: Readonly<Partial<Record<ErrorCode, number>>>
    /** Whether bodies say more than `error`; of codes the specification names protocol_revision_pending alone. */
    readonly code: 'shown' | 'hidden'
    readonly ref: 'shown' | 'hidden'
  }
  /** Status of what makes something: a challenge, a session, an API token. */
  readonly createdStatus: 200 | 201
  readonly cookies: {
    readonly path: string
    readonly refreshPath: string
    readonly sameSite: 'lax' | 'strict'
    /** False in each set: over-tls.ts makes it true where the host speaks TLS. */
    readonly secure: boolean
    /** Set at sign-in beside the two; no secrets, and readable by scripts. */
    readonly extra: Readonly<Record<string, string>>
  }
  /** Whether a wallet without access may sign in, only to be refused with 403 then. */
  readonly signInWithoutAccess: 'refused' | 'allowed'
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
    /** What those get who come with a refresh token that was replaced within the grace time: 409, or the winner's session. */
    readonly race: 'refused' | 'shared'
    /** Whether the access token from before a refresh lives on to its own end, for requests under way. */
    readonly formerAccess: 'lives on' | 'ends'
  }
  /** What access tokens and tickets look like: random text, or a signed JWT (RFC 7519) with subject and expiry. */
  readonly tokenForm: 'opaque' | 'JWT'
  /** Whether a ticket opens one socket, or any number until it expires. */
  readonly ticketUse: 'once' | 'any number'
  readonly apiTokens: {
    readonly nameLengthMin: number
    readonly nameLengthMax: number
    /** Where it is optional, a token without it does not expire. */
    readonly expiresInDays: 'optional' | 'required'
    readonly expiresInDaysMin: number
    readonly expiresInDaysMax: number
    /** `ss_` and some characters of the secret. */
    readonly prefixLength: number
  }
  /** `trade` of a swap record, which is optional. */
  readonly swapTrade: 'left out' | 'shown'
  readonly paging: {
    readonly limitDefault: number
    readonly offsetMax: number
    /** A `limit` above the bound of a list, but for /explore/pools, which must refuse it. */
    readonly limitAboveMax: 'refused' | 'clamped'
    /** The longest page of lists for which the specification states no bound. */
    readonly limitMaxElsewhere: number
    /** Which rows come first. */
    readonly pools: 'oldest first' | 'newest first'
    readonly swaps: 'oldest first' | 'newest first'
    readonly tokens: 'oldest first' | 'newest first'
    readonly sessions: 'oldest first' | 'newest first'
  }
  /** What it says of the query holds for /explore/tokens too. */
  readonly explorePools: {
    readonly windowDefault: MetricWindow
    /** Values of `sort`, and the field of the row that each sorts by. */
    readonly sorts: Readonly<Record<string, ExploreSort>>
    readonly sortDefault: string
    readonly orderDefault: 'asc' | 'desc'
    readonly searchLengthMax: number
    /** Where rows stand whose figure is not known, in either order. */
    readonly unknownFigures: 'last' | 'first'
    /** How a row says that a figure or an image is not known. */
    readonly unknownFields: 'null' | 'left out'
    readonly valuation: 'null' | 'left out' | 'quoted'
  }
  readonly ohlcv: { readonly intervalDefault: CandleInterval }
  readonly oracle: {
    /** The moments that an answer tells of where none is asked for. */
    readonly secondsAgoDefaults: readonly number[]
    readonly secondsAgoMax: number
  }
  readonly amountInMax: bigint
  /** The longest token id or pool key that a request may carry. */
  readonly keyLengthMax: number
  readonly aggregator: {
    readonly prefix: string
    /** Levels of an order book, those of both sides together. */
    readonly depthDefault: number
    readonly depthMax: number
  }
  /** On-chain introspection. */
  readonly debug: { readonly prefix: string; readonly access: 'public' | 'cred' }
  readonly pendingRevision: { readonly retryAfterSeconds: number }
  readonly bodyBytesMax: number
  readonly feed: FeedChoices
  readonly deployment: Deployment
}

/** How many nodes serve the exchange. */
export type Deployment = {
  /** Public reads come from one of them; with none, from the primary. */
  readonly replicas: number
  /** In the clock's time, of the replica that is furthest behind. */
  readonly replicaLagMs: number
  /** Of the feed; sockets go to them in turn. */
  readonly gateways: number
  /** In the clock's time, from the restart of one node to that of the next; null: none restarts by itself. */
  readonly rollingRestartMs: number | null
}

/** As the profile has it, with nothing left untold. */
export type Told<Value> = Value extends readonly (infer Item)[]
  ? readonly Item[]
  : Value extends object
    ? { readonly [Key in keyof Value]: Told<NonNullable<Value[Key]>> }
    : Value

/** The sets, by the name that `--choices` takes. */
export const CHOICE_SETS: Readonly<Record<ChoiceSetName, Choices>> = { plain, odd, replicated }

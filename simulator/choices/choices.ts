/**
 * What the specification calls "not shown", decided for the stub: sets of decisions, each whole, passed in wherever one is
 * needed. What the target profile (contract/profile.ts) can name stands in `profile`, there and nowhere else.
 */

import type { Choices as ProfileChoices } from '../../contract/profile.ts'
import type { ChoiceSetName } from '../../contract/scenario-config.ts'
import type { CandleInterval } from '../indexer/candle-interval.ts'
import type { ExploreSort, MetricWindow } from '../indexer/views/market-views.ts'
import type { ErrorCode } from './error-codes.ts'
import { odd } from './odd.ts'
import { plain, replicated } from './plain.ts'
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
    /** False in each set: plain.ts makes it true where the host speaks TLS. */
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

/** What the specification leaves open about the live feed. */
export type FeedChoices = {
  /** How a socket ends. Close codes from 4000 on are the application's (RFC 6455, section 7.4.2). */
  readonly closes: {
    /** A ticket that is unknown, used or expired, at first or at a renewal; also session tokens and API tokens. */
    readonly authenticationFailed: Close
    /** Any frame but authenticate before authentication; null: it is passed over. */
    readonly authenticationMissing: Close | null
    /** At the very moment of expiry: no grace. */
    readonly ticketExpired: Close
    /** A renewal with a good ticket of another principal; null: it is passed over. */
    readonly principalChanged: Close | null
    /** Binary, not JSON, or none of the four actions; null: it is told. */
    readonly frameInvalid: Close | null
    readonly deadlineMissed: Close
    /** After `refusedFramesMax` refused frames within a minute. */
    readonly tooManyFrames: Close
  }
  /** Values of `control` that the server sends beside those that are stated. */
  readonly controls: {
    /** What comes first on every socket; null: nothing. */
    readonly greeting: string | null
    /** The answer to a good authenticate frame, renewals included; null: none comes. */
    readonly authenticated: string | null
    /** A frame had no effect; `code` says why, `room` repeats the room that it named. null: nothing is said. */
    readonly error: string | null
  }
  /** What is refused takes no place in the window. Pings and pongs have one of their own. A fixed one begins with its first frame. */
  readonly frameWindow: 'sliding' | 'fixed'
  readonly frameWindowMs: number
  /** Refused frames a minute that a connection survives. */
  readonly refusedFramesMax: number
  /** The control for a refused frame comes at most so often, or answering the flood would be one. */
  readonly refusalIntervalMs: number
  /** Unsent bytes above which a connection's events are dropped; `resync_required` once everything is sent. */
  readonly highWaterBytes: number
  /** Unsent bytes, controls included, above which the connection is cut: its peer reads nothing. */
  readonly unsentBytesMax: number
  /** Real time for the peer to answer a close frame; then the connection is cut. */
  readonly closeTimeoutMs: number
  /** In real time: a peer silent for so long, and up to twice as long, is pinged; and cut if it stays silent once more. */
  readonly pingEveryMs: number
  /** Connections that have not authenticated yet: of one address, and of all; a further one is refused, 429 and 503. */
  readonly strangersPerAddressMax: number
  readonly strangersMax: number
  /** `Retry-After` of these. */
  readonly strangersRetryAfterSeconds: number
}

export type Close = { readonly code: number; readonly reason: string }

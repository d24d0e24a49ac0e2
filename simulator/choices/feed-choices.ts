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

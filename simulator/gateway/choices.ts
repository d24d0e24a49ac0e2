/**
 * What the specification leaves open about the feed, decided for the stub, in one place. Close codes from 4400 on mirror
 * HTTP statuses; 1009 and 1012 are those of RFC 6455, section 7.4.1, and its registry.
 */
export const CLOSES = {
  /** A ticket that is unknown, used or expired, at first or at a renewal; also session tokens and API tokens. */
  authenticationFailed: { code: 4401, reason: 'authentication failed' },
  /** Any frame but authenticate before authentication. */
  authenticationMissing: { code: 4401, reason: 'authenticate first' },
  /** At the very moment of expiry: no grace. */
  ticketExpired: { code: 4401, reason: 'ticket expired' },
  /** A renewal with a good ticket of another principal. */
  principalChanged: { code: 4403, reason: 'renewal by another principal' },
  deadlineMissed: { code: 4408, reason: 'not authenticated in time' },
  /** After `refusedFramesMax` refused frames within a minute. */
  tooManyFrames: { code: 4429, reason: 'too many frames' },
  /** RFC 6455: the library sends it, without a reason, and acts on nothing of the frame. */
  frameTooLarge: { code: 1009, reason: '' },
  restart: { code: 1012, reason: 'service restart' },
} as const

export type Close = { readonly code: number; readonly reason: string }

/** Values of `control` that the server sends; the specification names the last two. */
export const CONTROLS = {
  /** The answer to a good authenticate frame, renewals included. */
  authenticated: 'authenticated',
  /** A frame had no effect; `code` says why, `room` repeats the room that it named. */
  error: 'error',
  synchronized: 'synchronized',
  resyncRequired: 'resync_required',
} as const

/** Values of `code` in the control `error`. */
export const FEED_ERRORS = {
  frame_invalid: 'binary, not JSON, or not one of the four actions with its field',
  room_unknown: 'no such room, or no pool with this key is indexed',
  room_forbidden: "the balance room of another address than the ticket's",
  rooms_full: 'the connection holds as many rooms as it may',
  frames_limited: 'more frames in a minute than a connection may send',
} as const

export type FeedError = keyof typeof FEED_ERRORS

export const FEED_CHOICES = {
  path: '/ws',
  /** Frames count in a sliding window. What is refused takes no place in it. Pings and pongs do not count. */
  frameWindowMs: 60_000,
  /** Refused frames a minute that a connection survives. */
  refusedFramesMax: 240,
  /** The control for a refused frame comes at most so often, or answering the flood would be one. */
  refusalIntervalMs: 1000,
  /** Unsent bytes above which a connection's events are dropped; `resync_required` once everything is sent. */
  highWaterBytes: 256 * 1024,
  /** Unsent bytes, controls included, above which the connection is cut: its peer reads nothing. */
  unsentBytesMax: 1024 * 1024,
  /** Real time for the peer to answer a close frame; then the connection is cut. */
  closeTimeoutMs: 2000,
} as const

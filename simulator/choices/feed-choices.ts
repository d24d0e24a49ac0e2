import { z } from 'zod'
import { open } from './choice-row.ts'

const row = open('Live feed')
const close = () => z.strictObject({ code: z.int(), reason: z.string() })
const control = () => z.string().nullable()
const count = () => z.int().positive()

/** The points that the specification leaves open about the live feed. */
export const feedChoices = z.strictObject({
  /** How a socket ends. Close codes from 4000 on are the application's (RFC 6455, section 7.4.2). */
  closes: z.strictObject({
    /** A ticket that is unknown, used or expired, at first or at a renewal; also session tokens and API tokens. */
    authenticationFailed: row(close(), 'Close: a ticket that is unknown, used or expired', 'Events'),
    /** null: the frame is ignored. */
    authenticationMissing: row(
      close().nullable(),
      'Close: anything but authenticate before authentication',
      'Events',
    ),
    deadlineMissed: row(close(), 'Close: not authenticated within 5 seconds', 'Events'),
    /** At the very moment of expiry: no grace. */
    ticketExpired: row(close(), 'Close: a ticket has expired and was not renewed', 'Events'),
    /** null: the renewal is ignored. */
    principalChanged: row(close().nullable(), 'Close: a renewal by another principal', 'Events'),
    /** null: the control `error` reports it. */
    frameInvalid: row(close().nullable(), 'Close: binary, not JSON, or none of the four actions', 'Events'),
    /** After `refusedFramesMax` refused frames within a minute. */
    tooManyFrames: row(close(), 'Close: a flood of frames beyond the limit', 'Events'),
  }),
  /** Values of `control` that the server sends besides the stated ones. */
  controls: z.strictObject({
    /** null: none. */
    greeting: row(control(), 'A control that comes first on every socket', 'Server messages'),
    /** Renewals included; null: none. */
    authenticated: row(control(), 'The control that answers authenticate', 'Events'),
    /** `code` has the reason, `room` the room that the frame named; null: none. */
    error: row(control(), 'The control that reports a refused frame', 'Events'),
  }),
  /** Refused frames take no place in the window; pings and pongs have their own. A fixed one begins with its first frame. */
  frameWindow: row(z.enum(['sliding', 'fixed']), 'How the frames of a minute are counted', 'Limits'),
  frameWindowMs: row(count(), 'The minute, in milliseconds', 'Limits'),
  refusedFramesMax: row(count(), 'Refused frames a minute that a connection survives', 'Limits'),
  /** Otherwise the answers to a flood would be another one. */
  refusalIntervalMs: row(count(), 'Milliseconds between two reports of a flood', 'Events'),
  /** `resync_required` follows once everything is sent. */
  highWaterBytes: row(count(), 'Unsent bytes above which events are dropped', 'Delivery'),
  /** Controls included. */
  unsentBytesMax: row(count(), 'Unsent bytes above which the connection is cut', 'Delivery'),
  /** In real time; then the connection is cut. */
  closeTimeoutMs: row(count(), 'Milliseconds for the peer to answer a close', 'Delivery'),
  /** In real time, up to twice as long; a peer that stays silent for another is cut. */
  pingEveryMs: row(count(), 'Milliseconds of silence after which a peer is pinged', 'Delivery'),
  strangersPerAddressMax: row(
    count(),
    'Connections of an address that have not authenticated; one more is refused with 429',
    'Limits',
  ),
  strangersMax: row(
    count(),
    'Connections of all that have not authenticated; one more is refused with 503',
    'Limits',
  ),
  strangersRetryAfterSeconds: row(count(), '`Retry-After` of these, in seconds', 'Errors'),
})

export type FeedChoices = z.output<typeof feedChoices>
export type Close = z.output<ReturnType<typeof close>>

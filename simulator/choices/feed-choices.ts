import { z } from 'zod'
import { open } from './choice-row.ts'

const row = open('Live feed')
const close = () => z.strictObject({ code: z.int(), reason: z.string() })
const control = () => z.string().nullable()
const count = () => z.int().positive()

export const feedChoices = z.strictObject({
  /** Close codes from 4000 on are application-defined (RFC 6455, section 7.4.2). */
  closes: z.strictObject({
    /** At first or at a renewal; also for session tokens and API tokens. */
    authenticationFailed: row(close(), 'Close: a ticket that is unknown, used or expired', 'Events'),
    /** null: the frame is ignored. */
    authenticationMissing: row(
      close().nullable(),
      'Close: anything but authenticate before authentication',
      'Events',
    ),
    deadlineMissed: row(close(), 'Close: not authenticated within 5 seconds', 'Events'),
    /** Exactly at expiry, without grace. */
    ticketExpired: row(close(), 'Close: a ticket has expired and was not renewed', 'Events'),
    /** null: the renewal is ignored. */
    principalChanged: row(close().nullable(), 'Close: a renewal by another principal', 'Events'),
    /** null: the control `error` reports it. */
    frameInvalid: row(close().nullable(), 'Close: binary, not JSON, or none of the four actions', 'Events'),
    /** After `refusedFramesMax` rejected frames within a minute. */
    tooManyFrames: row(close(), 'Close: too many frames beyond the limit', 'Events'),
  }),
  controls: z.strictObject({
    /** null: none. */
    greeting: row(control(), 'The first control on every socket', 'Server messages'),
    /** Also for renewals; null: none. */
    authenticated: row(control(), 'The control that confirms authenticate', 'Events'),
    /** `code` is the reason, `room` the room in the frame; null: none. */
    error: row(control(), 'The control that reports a rejected frame', 'Events'),
  }),
  /** Rejected frames do not count; pings and pongs have a separate window. A fixed one starts with its first frame. */
  frameWindow: row(z.enum(['sliding', 'fixed']), 'The window of the frame limit', 'Limits'),
  frameWindowMs: row(count(), 'The minute, in milliseconds', 'Limits'),
  refusedFramesMax: row(count(), 'Rejected frames per minute that a connection survives', 'Limits'),
  /** Limits the responses to a flood. */
  refusalIntervalMs: row(
    count(),
    'Minimum time between two reports of rejected frames, in milliseconds',
    'Events',
  ),
  /** `resync_required` follows once everything is sent. */
  highWaterBytes: row(count(), 'Unsent bytes above which events are dropped', 'Delivery'),
  /** Including controls. */
  unsentBytesMax: row(count(), 'Unsent bytes above which the connection is cut', 'Delivery'),
  /** In real time; then the connection is cut. */
  closeTimeoutMs: row(count(), 'Time for the peer to confirm a close, in milliseconds', 'Delivery'),
  /** In real time, up to twice as long; a peer that stays silent for another interval is cut. */
  pingEveryMs: row(count(), 'Silence after which the server pings, in milliseconds', 'Delivery'),
  strangersPerAddressMax: row(
    count(),
    'Maximum number of unauthenticated connections of an address; another is rejected with 429',
    'Limits',
  ),
  strangersMax: row(
    count(),
    'Maximum number of unauthenticated connections in total; another is rejected with 503',
    'Limits',
  ),
  strangersRetryAfterSeconds: row(count(), '`Retry-After` of these responses, in seconds', 'Errors'),
})

export type FeedChoices = z.output<typeof feedChoices>
export type Close = z.output<ReturnType<typeof close>>

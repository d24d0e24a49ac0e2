import type { ChoiceRow } from './choice-rows.ts'

export const FEED_ROWS: readonly ChoiceRow[] = [
  { path: 'profile.events', what: 'Fields of events', section: 'Events' },
  {
    path: 'profile.eventTime',
    what: 'Where an event bears its time, and how that is written',
    section: 'Events',
  },
  {
    path: 'feed.controls.greeting',
    what: 'A control that comes first on every socket',
    section: 'Server messages',
  },
  { path: 'feed.controls.authenticated', what: 'The control that answers authenticate', section: 'Events' },
  { path: 'feed.controls.error', what: 'The control that tells of a refused frame', section: 'Events' },
  {
    path: 'feed.closes.authenticationFailed',
    what: 'Close: a ticket that is none, or has been one',
    section: 'Events',
  },
  {
    path: 'feed.closes.authenticationMissing',
    what: 'Close: anything but authenticate before authentication',
    section: 'Events',
  },
  {
    path: 'feed.closes.deadlineMissed',
    what: 'Close: not authenticated within 5 seconds',
    section: 'Events',
  },
  {
    path: 'feed.closes.ticketExpired',
    what: 'Close: a ticket has expired and was not renewed',
    section: 'Events',
  },
  {
    path: 'feed.closes.principalChanged',
    what: 'Close: a renewal by another principal',
    section: 'Events',
  },
  {
    path: 'feed.closes.frameInvalid',
    what: 'Close: binary, not JSON, or none of the four actions',
    section: 'Events',
  },
  {
    path: 'feed.closes.tooManyFrames',
    what: 'Close: a flood of frames beyond the limit',
    section: 'Events',
  },
  { path: 'feed.frameWindow', what: 'How the frames of a minute are counted', section: 'Limits' },
  { path: 'feed.frameWindowMs', what: 'The minute, in milliseconds', section: 'Limits' },
  {
    path: 'feed.refusedFramesMax',
    what: 'Refused frames a minute that a connection survives',
    section: 'Limits',
  },
  {
    path: 'feed.refusalIntervalMs',
    what: 'A flood is told of at most every so many milliseconds',
    section: 'Events',
  },
  { path: 'feed.highWaterBytes', what: 'Unsent bytes above which events are dropped', section: 'Delivery' },
  {
    path: 'feed.unsentBytesMax',
    what: 'Unsent bytes above which the connection is cut',
    section: 'Delivery',
  },
  { path: 'feed.closeTimeoutMs', what: 'Milliseconds for the peer to answer a close', section: 'Delivery' },
  {
    path: 'feed.pingEveryMs',
    what: 'Milliseconds of silence after which a peer is pinged',
    section: 'Delivery',
  },
  {
    path: 'feed.strangersPerAddressMax',
    what: 'Connections of an address that have not authenticated; one more is refused with 429',
    section: 'Limits',
  },
  {
    path: 'feed.strangersMax',
    what: 'Connections of all that have not authenticated; one more is refused with 503',
    section: 'Limits',
  },
  {
    path: 'feed.strangersRetryAfterSeconds',
    what: 'The wait that those are told, in seconds',
    section: 'Errors',
  },
]

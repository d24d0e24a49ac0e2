/** What of the feed is stated, by the specification or by RFC 6455; what is open is in choices/. */
import type { Close } from '../choices/feed-choices.ts'

export const FEED_PATH = '/ws'

/** Values of `control` that the specification names. */
export const CONTROLS = { synchronized: 'synchronized', resyncRequired: 'resync_required' } as const

/** RFC 6455, section 7.4.1: the library sends it, without a reason, and acts on nothing of the frame. */
export const FRAME_TOO_LARGE: Close = { code: 1009, reason: '' }

export const RESTART: Close = { code: 1012, reason: 'service restart' }

/** Values of `code` in the control that tells of a refused frame. */
export const FEED_ERRORS = {
  frame_invalid: 'binary, not JSON, or not one of the four actions with its field',
  room_unknown: 'no such room, or no pool with this key is indexed',
  room_forbidden: "the balance room of another address than the ticket's",
  rooms_full: 'the connection holds as many rooms as it may',
  frames_limited: 'more frames in a minute than a connection may send',
} as const

export type FeedError = keyof typeof FEED_ERRORS

import { Counter, Trend } from 'k6/metrics'
import { FEED_SOCKETS, FEED_SYNCHRONIZE } from '../../../contract/feed-metrics.ts'
import type { MixClient } from '../../../contract/mix.ts'
import { type Followed, followFeed } from '../client/follow-feed.ts'
import type { Client } from '../client/open-client.ts'
import type { ServerClock } from '../duties/server-clock.ts'
import { CannotProbe } from '../verdict/cannot.ts'
import { createFeedDelay } from './feed-delay.ts'
import { countLag } from './generator-lag.ts'

const sockets = new Counter(FEED_SOCKETS)
const synchronize = new Trend(FEED_SYNCHRONIZE, true)
const frames = new Counter('feed_frames')

/** A socket that comes to nothing again and again is left: after so many in a row. */
const FAILURES_MAX = 5
/** Of `renewAfterSeconds`. */
const RENEW_SPREAD_SHARE = 0.1

/** The feed as a client of a mix follows it, counted; undefined where no ticket is to be found. */
export function followMixFeed(
  client: Client,
  options: {
    feed: NonNullable<MixClient['feed']>
    rooms: readonly string[]
    /** What REST has told of the target’s clock. */
    clock: ServerClock
    /** Reads again what events were followed for, as some may have been missed. */
    refetch: () => Promise<void>
  },
): Followed | undefined {
  const measureDelay = createFeedDelay(client.target.profile.choices.eventTime, options.clock)
  try {
    return followFeed(client, {
      rooms: options.rooms,
      // Its first reads are those of its first step, and a quiet market needs none.
      refetch: async (reasons) => {
        if (reasons.some((reason) => reason !== 'connected' && reason !== 'quiet')) await options.refetch()
      },
      renewAfterMs: options.feed.renewAfterSeconds * 1000,
      renewSpreadShare: RENEW_SPREAD_SHARE,
      failuresMax: FAILURES_MAX,
      onFrame(text, atMs) {
        frames.add(1)
        countLag(atMs, Date.now())
        measureDelay(text, atMs)
      },
      onAttempt: (outcome) => sockets.add(1, { outcome }),
      onSynchronized: (tookMs) => synchronize.add(tookMs),
    })
  } catch (error) {
    if (!(error instanceof CannotProbe)) throw error
    sockets.add(1, { outcome: 'refused' })
    return undefined
  }
}

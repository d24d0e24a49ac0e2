import { Counter } from 'k6/metrics'
import type { MixClient } from '../../contract/mix.ts'
import { CannotProbe } from './cannot.ts'
import { type Followed, followFeed } from './client/follow-feed.ts'
import type { Client } from './client/open-client.ts'

/** By `outcome`: served; mute, where synchronize was not answered; refused, where there was no ticket, or no socket. */
const sockets = new Counter('feed_sockets')
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
    /** Reads again what events were followed for, as some may have been missed. */
    refetch: () => Promise<void>
  },
): Followed | undefined {
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
      onFrame: () => frames.add(1),
      onAttempt: (outcome) => sockets.add(1, { outcome }),
    })
  } catch (error) {
    if (!(error instanceof CannotProbe)) throw error
    sockets.add(1, { outcome: 'refused' })
    return undefined
  }
}

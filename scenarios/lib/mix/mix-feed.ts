import { sleep } from 'k6'
import { Counter, Gauge, Trend } from 'k6/metrics'
import type { MixClient } from '../../../contract/mix.ts'
import type { Choices } from '../../../contract/profile.ts'
import { GENERATOR_LAG, LOAD_START } from '../../../contract/scenario-config.ts'
import {
  FEED_DELAY_LOWER_BOUND,
  FEED_DELAY_UPPER_BOUND,
  FEED_RESYNCS,
  FEED_SOCKETS,
  FEED_SYNCHRONIZE,
  FEED_UNMEASURED,
} from '../../../contract/series.ts'
import { type Followed, followFeed } from '../client/follow-feed.ts'
import type { Client } from '../client/open-client.ts'
import { createEventTime } from '../duties/event-time.ts'
import { delaySpan, type ServerClock } from '../duties/server-clock.ts'
import { recordMinimum } from '../history/feed-cycle.ts'
import { recordFrames } from '../history/record.ts'
import { CannotProbe } from '../verdict/judge.ts'

const least = new Trend(FEED_DELAY_LOWER_BOUND, true)
const most = new Trend(FEED_DELAY_UPPER_BOUND, true)
const unmeasured = new Counter(FEED_UNMEASURED)

/** Records the delay of each event, within the precision of the known target clock. */
function createFeedDelay(
  { path, format }: Choices['eventTime'],
  clock: ServerClock,
): (text: string, atMs: number) => void {
  const parseTime = path === null ? null : createEventTime(path, format)
  return (text, atMs) => {
    const span = delaySpan({ text, atMs, parseTime, ahead: clock.ahead(atMs) })
    if (span === undefined) return
    if (typeof span === 'string') unmeasured.add(1, { reason: span })
    else {
      least.add(span.leastMs)
      most.add(span.mostMs)
    }
  }
}

const sockets = new Counter(FEED_SOCKETS)
const synchronize = new Trend(FEED_SYNCHRONIZE, true)
const frames = new Counter('feed_frames')
const resyncs = new Counter(FEED_RESYNCS)

/** Consecutive failed sockets before a client gives up. */
const FAILURES_MAX = 5
/** Share of `renewAfterSeconds`. */
const RENEW_SPREAD_SHARE = 0.1

/** Follows the feed and counts metrics. Returns undefined if the profile does not name the field of the ticket. */
export function followMixFeed(
  client: Client,
  options: {
    feed: NonNullable<MixClient['feed']>
    rooms: readonly string[]
    /** Target clock learned from REST responses. */
    clock: ServerClock
    /** Repeats the REST reads, because events may have been missed. */
    refetch: () => Promise<void>
    /** Each socket in turn, and when it is synchronized. */
    onSocket?: (cut: () => void) => void
    onSynchronized?: () => void
  },
): Followed | undefined {
  const measureDelay = createFeedDelay(client.target.profile.choices.eventTime, options.clock)
  try {
    return followFeed(client, {
      rooms: options.rooms,
      // The client's first step covers `connected`, and a quiet market needs no reads.
      refetch: async (reasons) => {
        if (reasons.includes('resync_required')) resyncs.add(1)
        if (reasons.some((reason) => reason !== 'connected' && reason !== 'quiet')) await options.refetch()
      },
      renewAfterMs: options.feed.renewAfterSeconds * 1000,
      renewSpreadShare: RENEW_SPREAD_SHARE,
      failuresMax: FAILURES_MAX,
      recordSocket: () => recordFrames(client.target, client.address),
      recordMinimum,
      onFrame(text, atMs) {
        frames.add(1)
        countLag(atMs, Date.now())
        measureDelay(text, atMs)
      },
      onAttempt: (outcome) => sockets.add(1, { outcome }),
      onSynchronized(tookMs) {
        synchronize.add(tookMs)
        options.onSynchronized?.()
      },
      ...(options.onSocket && { onSocket: options.onSocket }),
    })
  } catch (error) {
    if (!(error instanceof CannotProbe)) throw error
    sockets.add(1, { outcome: 'rejected' })
    return undefined
  }
}

const lag = new Trend(GENERATOR_LAG, true)

/**
 * Records how late k6 was with something due at a given time: waking a VU, or handing a frame to its script.
 */
function countLag(dueMs: number, nowMs: number): void {
  lag.add(Math.max(0, nowMs - dueMs))
}

const start = new Gauge(LOAD_START)

const BEAT_MS = 20

/** Sleeps and wakes until the load ends. Late wake-ups show that k6 itself is late. */
export function beat({ startMs, seconds }: { startMs: number; seconds: number }): void {
  start.add(startMs)
  const endMs = startMs + seconds * 1000
  for (let beforeMs = Date.now(); beforeMs < endMs; ) {
    sleep(BEAT_MS / 1000)
    const nowMs = Date.now()
    countLag(beforeMs + BEAT_MS, nowMs)
    beforeMs = nowMs
  }
}

import { Counter, Trend } from 'k6/metrics'
import { FEED_DELAY_LEAST, FEED_DELAY_MOST, FEED_UNMEASURED } from '../../../contract/feed-metrics.ts'
import type { Choices } from '../../../contract/profile.ts'
import { delaySpan } from '../duties/delay-span.ts'
import { createEventTime } from '../duties/event-time.ts'
import type { ServerClock } from '../duties/server-clock.ts'

const least = new Trend(FEED_DELAY_LEAST, true)
const most = new Trend(FEED_DELAY_MOST, true)
const unmeasured = new Counter(FEED_UNMEASURED)

/** Measures of each frame that is an event how long it took, as closely as the target’s clock is known. */
export function createFeedDelay(
  { path, format }: Choices['eventTime'],
  clock: ServerClock,
): (text: string, atMs: number) => void {
  const timeOf = path === null ? null : createEventTime(path, format)
  return (text, atMs) => {
    const span = delaySpan({ text, atMs, timeOf, ahead: clock.ahead(atMs) })
    if (span === undefined) return
    if (typeof span === 'string') unmeasured.add(1, { why: span })
    else {
      least.add(span.leastMs)
      most.add(span.mostMs)
    }
  }
}

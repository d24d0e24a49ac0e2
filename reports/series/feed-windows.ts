import { createHistogram, type Histogram, mergeInto } from '../statistics/histogram.ts'
import type { WindowKind } from './windows.ts'

/** What came of the live feed in one window of time. */
export type FeedWindow = {
  /** Delays of events in ms, as little and as much as they may have been; from opening a socket to its synchronize. */
  trends: Record<(typeof FEED_TRENDS)[number], Histogram>
  /** Sockets that were opened; of a mix by what came of them; messages that came. */
  counts: Record<(typeof FEED_COUNTS)[number], number>
}

export const FEED_TRENDS = ['least', 'most', 'synchronize'] as const
export const FEED_COUNTS = ['opened', 'served', 'mute', 'refused', 'received'] as const

export const FEED_WINDOWS: WindowKind<FeedWindow> = {
  windowsMax: 300,
  create: () => ({
    trends: { least: createHistogram(), most: createHistogram(), synchronize: createHistogram() },
    counts: { opened: 0, served: 0, mute: 0, refused: 0, received: 0 },
  }),
  join(into, from) {
    for (const name of FEED_TRENDS) mergeInto(into.trends[name], from.trends[name])
    for (const name of FEED_COUNTS) into.counts[name] += from.counts[name]
  },
}

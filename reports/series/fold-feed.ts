import {
  FEED_DELAY_LEAST,
  FEED_DELAY_MOST,
  FEED_SOCKETS,
  FEED_SYNCHRONIZE,
} from '../../contract/feed-metrics.ts'
import type { SeriesPoint } from '../../contract/series.ts'
import { addInfinite, addPart, createHistogram, type Histogram } from '../statistics/histogram.ts'
import { partOf } from './part-of.ts'

/** What the series tell of the live feed, over all of its clients. */
export type FoldedFeed = {
  /** How long events took, ms, at the least and at the most. */
  delayLeast: Histogram
  delayMost: Histogram
  /** Ms; sockets that were never served count as infinite. */
  synchronize: Histogram
  /** Sockets by how they fared: served, mute, refused. */
  sockets: Map<string, number>
  /** Ms until each socket was open. */
  connects: Histogram
  received: number
  sent: number
}

/** Before the first point. */
export function createFoldedFeed(): FoldedFeed {
  return {
    delayLeast: createHistogram(),
    delayMost: createHistogram(),
    synchronize: createHistogram(),
    sockets: new Map(),
    connects: createHistogram(),
    received: 0,
    sent: 0,
  }
}

type FeedFold = (feed: FoldedFeed, point: SeriesPoint) => void

/** By metric: how a point of it is added. Those of k6 count every socket, those of a mix its clients' sockets alone. */
export const FEED_FOLDS: ReadonlyMap<string, FeedFold> = new Map<string, FeedFold>([
  [FEED_DELAY_LEAST, (feed, point) => addPart(feed.delayLeast, partOf(point))],
  [FEED_DELAY_MOST, (feed, point) => addPart(feed.delayMost, partOf(point))],
  [FEED_SYNCHRONIZE, (feed, point) => addPart(feed.synchronize, partOf(point))],
  [FEED_SOCKETS, foldSocket],
  ['ws_connecting', (feed, point) => addPart(feed.connects, partOf(point))],
  ['ws_msgs_received', (feed, { sum }) => Object.assign(feed, { received: feed.received + sum })],
  ['ws_msgs_sent', (feed, { sum }) => Object.assign(feed, { sent: feed.sent + sum })],
])

function foldSocket(feed: FoldedFeed, { tags, sum }: SeriesPoint): void {
  const outcome = tags.outcome ?? ''
  feed.sockets.set(outcome, (feed.sockets.get(outcome) ?? 0) + sum)
  if (outcome !== 'served') addInfinite(feed.synchronize, sum)
}

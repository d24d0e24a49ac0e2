import type { FeedFigures } from '../contract/feed-figures.ts'
import { WHY_UNMEASURED } from '../contract/feed-metrics.ts'
import type { FoldedSeries } from './series/fold-series.ts'
import type { Histogram } from './statistics/histogram.ts'
import { maxOf, supportedQuantile } from './statistics/quantile-support.ts'

/** What clients saw of the feed, with each quantile that enough samples support; null where they saw nothing of it. */
export function feedFigures({
  feed,
  feedUnmeasured,
}: Pick<FoldedSeries, 'feed' | 'feedUnmeasured'>): FeedFigures | null {
  const { delayLeast, delayMost, synchronize, sockets, connects, received, sent } = feed
  const figures: FeedFigures = {
    delay: delayMost.count === 0 ? null : { least: quantilesOf(delayLeast), most: quantilesOf(delayMost) },
    unmeasured: [...feedUnmeasured]
      .map(([why, events]) => ({ why: whyText(why), events }))
      .sort((a, b) => b.events - a.events || (a.why < b.why ? -1 : 1)),
    synchronize: synchronize.count === 0 ? null : quantilesOf(synchronize),
    sockets: sockets.size === 0 ? null : socketsOf(sockets),
    connects: connects.count === 0 ? null : quantilesOf(connects),
    messages: received + sent === 0 ? null : { received, sent },
  }
  const { unmeasured, ...measured } = figures
  const isEmpty = unmeasured.length === 0 && Object.values(measured).every((part) => part === null)
  return isEmpty ? null : figures
}

function quantilesOf(histogram: Histogram) {
  return {
    samples: histogram.count,
    p50: supportedQuantile(histogram, 0.5),
    p95: supportedQuantile(histogram, 0.95),
    p99: supportedQuantile(histogram, 0.99),
    max: maxOf(histogram),
  }
}

/** What is neither served nor mute got nowhere. */
function socketsOf(outcomes: ReadonlyMap<string, number>): NonNullable<FeedFigures['sockets']> {
  const { served = 0, mute = 0, ...others } = Object.fromEntries(outcomes)
  return { served, mute, refused: Object.values(others).reduce((sum, count) => sum + count, 0) }
}

function whyText(why: string): string {
  return (
    (WHY_UNMEASURED as Readonly<Record<string, string>>)[why] ??
    'for a reason that this version does not know'
  ) // as: a series may come from another version
}

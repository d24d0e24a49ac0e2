/** The part of a trial's result about a number of open sockets. */
import type { TrialFacts, TrialResult } from '../../contract/capacity.ts'
import { figure } from '../objective-text.ts'
import type { FoldedSeries } from '../series/fold-series.ts'
import { supportedQuantile } from '../statistics/quantiles.ts'
import type { Broken } from './saturation-signals.ts'

/** Undefined: no sockets were counted. */
type Counted = { feed?: FoldedSeries['feed'] }

export type Miss = { broken: Broken; reason: string }

/** The average number of sockets that were served; null: the trial ended before all were due. */
export function countHeld({ rate }: TrialFacts, { feed }: Counted): number | null {
  return feed === undefined || feed.due === 0 ? null : (rate * feed.held) / feed.due
}

export const NOT_DUE = 'k6 never counted the sockets that were served'

const SOCKETS_QUANTILE = 0.9

export function readSockets(
  feed: FoldedSeries['feed'],
  seconds: number,
): NonNullable<TrialResult['sockets']> {
  const served = feed.sockets.get('served') ?? 0
  const perSecond = (count: number) => (seconds === 0 ? 0 : count / seconds)
  return {
    served,
    failed: [...feed.sockets.values()].reduce((sum, each) => sum + each, 0) - served,
    handshakeP90Ms: supportedQuantile(feed.connects, SOCKETS_QUANTILE),
    synchronizeP90Ms: supportedQuantile(feed.synchronize, SOCKETS_QUANTILE),
    messagesPerSecond: perSecond(feed.received),
    eventsPerSecond: perSecond(feed.events),
    feedDelayP95Ms: supportedQuantile(feed.delayUpperBound, 0.95),
    resyncs: feed.resyncs,
  }
}

export function findSocketMisses(facts: TrialFacts, counts: Counted): Miss[] {
  return [...findUnserved(facts, counts), ...findLosses(facts, counts)]
}

/** Sockets that may be between two connections, at a restart of the target for example. */
const UNSERVED_SHARE_MAX = 0.01

function findUnserved(facts: TrialFacts, counts: Counted): Miss[] {
  const held = countHeld(facts, counts)
  if (held === null || held >= (1 - UNSERVED_SHARE_MAX) * facts.rate) return []
  const reason = `only ${figure(held)} of ${figure(facts.rate)} sockets were served on average`
  return [{ broken: 'throughput', reason }]
}

/** A target that lost events says so to the sockets. */
function findLosses({ axis, rate }: TrialFacts, { feed }: Counted): Miss[] {
  const resyncs = axis === 'events' ? (feed?.resyncs ?? 0) : 0
  if (resyncs <= UNSERVED_SHARE_MAX * rate) return []
  return [{ broken: 'feed', reason: `events were lost: ${resyncs} times resync_required` }]
}

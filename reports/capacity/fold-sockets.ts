/** The part of a trial's result about a number of open sockets. */
import { type Axis, getAxisUnit, type TrialFacts, type TrialResult } from '../../contract/capacity.ts'
import type { ObjectiveResult } from '../../contract/report.ts'
import { figure, percent } from '../objective-text.ts'
import type { FoldedSeries } from '../series/fold-series.ts'
import { addInfinite, createHistogram, type Histogram, mergeInto } from '../statistics/histogram.ts'
import { computeQuantiles, supportedQuantile } from '../statistics/quantiles.ts'
import type { Broken } from './saturation-signals.ts'

/** Undefined: no sockets were counted. */
type Counted = { feed?: FoldedSeries['feed'] }

export type Miss = { broken: Broken; reason: string }

/** The average number of sockets that were served, or, after a cut, of those that recovered; null: the trial ended before. */
export function countHeld({ rate, recoverWithinSeconds }: TrialFacts, { feed }: Counted): number | null {
  if (recoverWithinSeconds !== undefined) {
    const { count, infinite } = feed?.recovery ?? createHistogram()
    return count === 0 ? null : count - infinite
  }
  return feed === undefined || feed.due === 0 ? null : (rate * feed.held) / feed.due
}

export const NOT_DUE = 'k6 never counted the sockets that were served'

/** The reason why a completed trial did not offer its load, or null. It is not a failure of the target. */
export function findUnoffered(facts: TrialFacts, counts: Counted): string | null {
  const unknown = counts.feed?.unknownRooms ?? 0
  if (unknown > 0) return `the target lists too few pools for ${figure(unknown)} of the subscriptions`
  return countHeld(facts, counts) === null ? NOT_DUE : null
}

const SOCKETS_QUANTILE = 0.9

export function readSockets(
  feed: FoldedSeries['feed'],
  { rate, seconds }: { rate: number; seconds: number },
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
    ...(feed.recovery.count > 0 && { recovery: readRecovery(feed.recovery, rate) }),
  }
}

const CURVE_SHARES = [...Array.from({ length: 19 }, (_, index) => (index + 1) / 20), 0.99, 1]

/** The reconnect curve, as far as sockets recovered: those that k6 did not count did not. */
function readRecovery(recovery: Histogram, sockets: number): { share: number; ms: number }[] {
  const all = createHistogram()
  mergeInto(all, recovery)
  addInfinite(all, Math.max(0, sockets - recovery.count))
  const values = computeQuantiles(all, CURVE_SHARES) ?? []
  return values.flatMap((ms, place) =>
    Number.isFinite(ms) ? [{ share: CURVE_SHARES[place] ?? 1, ms: Math.round(ms) }] : [],
  )
}

/** A socket that the target rejected was not late: a busy load generator does not explain it. */
export function failsByRejections(objective: ObjectiveResult, { feed }: Counted): boolean {
  if (objective.kind !== 'synchronize' || objective.observedMs !== 'infinite' || feed === undefined)
    return false
  const attempts = [...feed.sockets.values()].reduce((sum, each) => sum + each, 0)
  return (feed.sockets.get('rejected') ?? 0) > (1 - objective.quantile) * attempts
}

export function findSocketMisses(facts: TrialFacts, counts: Counted): Miss[] {
  return [...findUnserved(facts, counts), ...findLosses(facts, counts)]
}

/** Sockets that may be between two connections, at a restart of the target for example. */
const UNSERVED_SHARE_MAX = 0.01

function findUnserved(facts: TrialFacts, counts: Counted): Miss[] {
  const held = countHeld(facts, counts)
  // The objective judges how many recover.
  if (facts.recoverWithinSeconds !== undefined) return []
  if (held === null || held >= (1 - UNSERVED_SHARE_MAX) * facts.rate) return []
  const reason =
    facts.axis === 'slow-readers'
      ? `only ${percent(held / facts.rate)} of the normal sockets were served on average`
      : `only ${figure(held)} of ${figure(facts.rate)} ${getAxisUnit(facts.axis)} were served on average`
  return [{ broken: 'throughput', reason }]
}

/** The sockets of which each may lose events; 0 if events are not the load. */
const LOSING_SOCKETS: Readonly<Record<Axis, (rate: number, served: number) => number>> = {
  rate: () => 0,
  sockets: () => 0,
  // Its opening is judged, so each socket counts as served once.
  subscriptions: (_rate, served) => served,
  'slow-readers': (_rate, served) => served,
  events: (rate) => rate,
}

/** A target that lost events says so to the sockets. */
function findLosses({ axis = 'rate', rate }: TrialFacts, { feed }: Counted): Miss[] {
  const sockets = LOSING_SOCKETS[axis](rate, feed?.sockets.get('served') ?? 0)
  const resyncs = feed?.resyncs ?? 0
  if (sockets === 0 || resyncs <= UNSERVED_SHARE_MAX * sockets) return []
  return [{ broken: 'feed', reason: `events were lost: ${resyncs} times resync_required` }]
}

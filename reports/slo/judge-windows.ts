import type { LatencyMs, ObjectiveResult } from '../../contract/report.ts'
import type { FoldedSeries } from '../series/fold-series.ts'
import { emptyTally, type ObjectiveTally, type Tally } from '../series/tally.ts'
import { judgeTally, msOf, type Reading } from './judge-tally.ts'

/**
 * Judges an objective in each whole window of the time that is judged: what is observed is that of the worst one. A window
 * with too few samples keeps it from passing, as it may be the one in which nothing was answered.
 */
export function judgeWindows(
  { objective, windows }: ObjectiveTally,
  series: Pick<FoldedSeries, 'slice' | 'firstSecond' | 'lastSecond'>,
): Reading & Pick<ObjectiveResult, 'windows'> {
  const tallies = windows === null ? [] : wholeWindows(windows, series)
  const readings = tallies.map(({ tally }) => judgeTally(objective, tally))
  const known = readings.filter(({ leastMs, rate }) => leastMs !== null || rate !== null)
  const failed = known.filter(({ verdict }) => verdict === 'fail')
  const doubtful = known.filter(({ verdict }) => verdict === 'inconclusive')
  const unjudged = readings.length - known.length
  const worst = known.toSorted((a, b) => compareSeverity(b, a))[0]
  const counts = { judged: known.length, failed: failed.length, unjudged }
  const nothing: Reading = {
    verdict: 'inconclusive',
    reason: `no whole window of ${objective.windowSeconds} s was measured`,
    samples: 0,
    leastMs: null,
    mostMs: null,
    rate: null,
  }
  const reading = worst ?? readings[0] ?? nothing
  if (failed.length > 0) return { ...reading, verdict: 'fail', reason: null, windows: counts }
  if (unjudged > 0) {
    const reason = `${unjudged} of ${readings.length} windows have too few samples`
    return { ...reading, verdict: 'inconclusive', reason, windows: counts }
  }
  return { ...(doubtful[0] ?? reading), windows: counts }
}

/** The whole windows within the time that is judged, those without a sample included. */
export function wholeWindows(
  { seconds, origin, byIndex }: NonNullable<ObjectiveTally['windows']>,
  { slice, firstSecond, lastSecond }: Pick<FoldedSeries, 'slice' | 'firstSecond' | 'lastSecond'>,
): { endsAt: number; tally: Tally }[] {
  const from = slice.from ?? firstSecond
  const to = slice.to ?? (lastSecond === undefined ? undefined : lastSecond + 1)
  if (from === undefined || to === undefined) return []
  const first = Math.ceil((from - origin) / seconds)
  const count = Math.max(0, Math.floor((to - origin) / seconds) - first)
  return Array.from({ length: count }, (_, place) => ({
    endsAt: origin + (first + place + 1) * seconds,
    tally: byIndex.get(first + place) ?? emptyTally(),
  }))
}

function compareSeverity(a: Reading, b: Reading): number {
  return figure(a.leastMs, a) - figure(b.leastMs, b) || figure(a.mostMs, a) - figure(b.mostMs, b)
}

/** Finite, as two that are infinite have to compare as equal. */
function figure(ms: LatencyMs, { rate }: Reading): number {
  return ms === null ? (rate ?? 0) : Math.min(msOf(ms), Number.MAX_VALUE)
}

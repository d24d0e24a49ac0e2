import type { Objective, ObjectiveKind } from '../../contract/slo.ts'
import type { FoldedSeries } from '../series/fold-series.ts'
import type { ObjectiveTally, Tally } from '../series/tally.ts'
import { countAbove, rankOf } from '../statistics/histogram.ts'
import { samplesNeeded } from '../statistics/quantile-support.ts'
import { limitOf } from './judge-tally.ts'
import { wholeWindows } from './judge-windows.ts'

/** The most that can yet be measured within the slice. */
export type ToCome = { requests: number; iterations: number; events: number; sockets: number }

/**
 * The first objective that cannot be met any more, whatever comes: were all that is still to come good, it would break all the
 * same. `settledTo`: Unix seconds up to which all samples are in, so that a window which ended by then is what it is.
 */
export function findHopeless(
  series: FoldedSeries,
  options: { toCome: ToCome; settledTo: number },
): Objective | undefined {
  return series.slo?.tallies.find((tally) => isHopeless({ ...options, tally, series }))?.objective
}

function isHopeless(options: {
  tally: ObjectiveTally
  series: Pick<FoldedSeries, 'slice' | 'firstSecond' | 'lastSecond'>
  toCome: ToCome
  settledTo: number
}): boolean {
  const { tally, series, toCome, settledTo } = options
  const { objective, kind, whole, windows } = tally
  const more = toCome[COMES[kind]]
  if (windows === null) return isBound(objective, whole, more)
  return wholeWindows(windows, series).some(({ endsAt, tally: inWindow }) =>
    isBound(objective, inWindow, endsAt <= settledTo ? 0 : more),
  )
}

/** What an objective counts. */
const COMES: Readonly<Record<ObjectiveKind, keyof ToCome>> = {
  latency: 'requests',
  errors: 'requests',
  refused: 'requests',
  dropped: 'iterations',
  'feed-delay': 'events',
  synchronize: 'sockets',
}

/** Whether an objective is bound to break, with so many more samples and all of them good. */
function isBound(objective: Objective, tally: Tally, more: number): boolean {
  const limit = limitOf(objective)
  if (!('quantile' in objective)) {
    const samples = tally.samples + more
    return samples > 0 && tally.bad / samples > limit
  }
  const samples = tally.least.count + more
  return (
    samples >= samplesNeeded(objective.quantile) &&
    countAbove(tally.least, limit) > samples - rankOf(objective.quantile, samples)
  )
}

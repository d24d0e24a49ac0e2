import type { ObjectiveResult, Report } from '../../contract/report.ts'
import type { FoldedSeries } from '../series/fold-series.ts'
import type { ObjectiveTally } from '../series/tally.ts'
import { judgeTally, type Reading } from './judge-tally.ts'
import { judgeWindows } from './judge-windows.ts'
import { whyDelayInDoubt, whyNoSamples } from './why-in-doubt.ts'

/**
 * Judges the objectives that the series were folded for: pass, fail, or inconclusive with the reason. Where the series lack
 * a part, what was measured can break an objective, but not show that it held.
 */
export function judgeSlo(options: { series: FoldedSeries; seriesComplete: boolean }): Report['slo'] {
  const { series, seriesComplete } = options
  if (series.slo === null) return null
  const results = series.slo.tallies.map((tally) => judgeObjective(tally, series))
  return { name: series.slo.name, objectives: seriesComplete ? results : results.map(doubtPass) }
}

function doubtPass(result: ObjectiveResult): ObjectiveResult {
  if (result.verdict !== 'pass') return result
  return { ...result, verdict: 'inconclusive', reason: 'held in the part of the run that is known' }
}

function judgeObjective(tally: ObjectiveTally, series: FoldedSeries): ObjectiveResult {
  const { objective, kind, whole } = tally
  const ofWhole = judgeTally(objective, whole)
  const { windows, ...reading } =
    tally.windows === null ? { ...ofWhole, windows: null } : judgeWindows(tally, series)
  const doubt = ofWhole.samples === 0 ? whyNoSamples(objective, series) : whyDelayInDoubt(kind, series)
  return {
    ...objective,
    kind,
    ...observed(kind, reading),
    windowSeconds: objective.windowSeconds ?? null,
    windows,
    verdict: doubt === null ? reading.verdict : 'inconclusive',
    samples: ofWhole.samples,
    reason: doubt ?? reading.reason,
  } as ObjectiveResult // as: `observed` has the fields of this kind
}

function observed(kind: ObjectiveTally['kind'], { leastMs, mostMs, rate }: Reading): object {
  const fields: Record<ObjectiveTally['kind'], object> = {
    latency: { observedMs: mostMs },
    errors: { observedErrorRate: rate },
    refused: { observedRefusedRate: rate },
    dropped: { observedDroppedRate: rate },
    'feed-delay': { observedLeastMs: leastMs, observedMs: mostMs },
    synchronize: { observedMs: mostMs },
  }
  return fields[kind]
}

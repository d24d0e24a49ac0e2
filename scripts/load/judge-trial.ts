import type { TrialFacts, TrialResult } from '../../contract/capacity.ts'
import { LOAD_START } from '../../contract/scenario-config.ts'
import type { Slo } from '../../contract/slo.ts'
import { foldTrialResult } from '../../reports/capacity/fold-trial-result.ts'
import { judgedSlice } from '../../reports/capacity/trials.ts'
import {
  createFoldedSeries,
  type FoldedSeries,
  foldPoint,
  METRICS_READ,
} from '../../reports/series/fold-series.ts'
import type { Slice } from '../../reports/series/point.ts'
import { findPoints, readPoints } from '../../reports/series/read-series.ts'

export async function judgeFacts(
  facts: readonly TrialFacts[],
  { files, slo, isTargetLocal }: { files: readonly string[]; slo: Slo; isTargetLocal: boolean },
): Promise<TrialResult[]> {
  const { series, complete } = await foldTrial(files, { slo, slices: facts.map(judgedSlice) })
  return series.flatMap((slice, index) => {
    const of = facts[index]
    return of === undefined
      ? []
      : [foldTrialResult({ facts: of, series: slice, seriesComplete: complete, isTargetLocal })]
  })
}

async function foldTrial(
  files: readonly string[],
  { slo, slices }: { slo: Slo; slices: readonly Slice[] },
): Promise<{ series: FoldedSeries[]; complete: boolean }> {
  const series = slices.map((slice) => createFoldedSeries({ slo, slice }))
  let complete = true
  for (const file of files) {
    const read = await readPoints(file, {
      isNeeded: (metric) => METRICS_READ.has(metric),
      onPoint(point) {
        for (const each of series) foldPoint(each, point)
      },
    })
    complete &&= read.complete
  }
  return { series, complete }
}

/** When the last k6 began, in Unix ms; null: one never did. */
export async function readLoadStart(files: readonly string[]): Promise<number | null> {
  let startMs: number | null = null
  for (const file of files) {
    const own = await loadStartIn(file)
    if (own === null) return null
    startMs = Math.max(startMs ?? 0, own)
  }
  return startMs
}

/** Written once, in the first seconds: reads no further. */
async function loadStartIn(file: string): Promise<number | null> {
  for await (const { metric, max } of findPoints(file, LOAD_START)) {
    if (metric === LOAD_START && max !== undefined) return max
  }
  return null
}

/** All requests, judged or not. */
export async function requestsIn(files: readonly string[]): Promise<number> {
  let requests = 0
  for (const file of files) {
    await readPoints(file, {
      isNeeded: (metric) => metric === 'http_reqs',
      onPoint: ({ sum }) => {
        requests += sum
      },
    })
  }
  return requests
}

/** Unix seconds; `to` is exclusive. */
export type JudgedWindow = { from: number; to: number }

/**
 * The judged part of a trial in whole clock seconds: as many as planned, starting within the last second of the
 * warm-up; without a warm-up, the seconds that lie entirely inside.
 */
export function computeJudgedWindow(options: {
  startMs: number
  warmUpSeconds: number
  seconds: number
  /** Seconds of the same load before this part. */
  secondsBefore?: number
}): JudgedWindow {
  const { startMs, warmUpSeconds, seconds, secondsBefore = 0 } = options
  const begins = startMs / 1000 + secondsBefore + warmUpSeconds
  const from = warmUpSeconds >= 1 ? Math.floor(begins) : Math.ceil(begins)
  return { from, to: Math.min(from + Math.floor(seconds), Math.floor(begins + seconds)) }
}

/** The rest of a window whose load was aborted; null: nothing. */
export function cutWindow(window: JudgedWindow, endedMs: number): JudgedWindow | null {
  const to = Math.min(window.to, Math.floor(endedMs / 1000))
  return to > window.from ? { from: window.from, to } : null
}

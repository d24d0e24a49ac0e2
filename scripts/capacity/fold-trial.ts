import { LOAD_START } from '../../contract/scenario-config.ts'
import type { Slo } from '../../contract/slo.ts'
import { findPoints } from '../../reports/series/find-points.ts'
import {
  createFoldedSeries,
  type FoldedSeries,
  foldPoint,
  METRICS_READ,
} from '../../reports/series/fold-series.ts'
import { readPoints } from '../../reports/series/read-points.ts'
import type { Slice } from '../../reports/series/slice.ts'

/** Slices of what the k6 processes of a load wrote, all together. */
export async function foldTrial(
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

/** Unix ms at which the load began, of the last k6 to begin; null where one of them never did. */
export async function loadStartOf(files: readonly string[]): Promise<number | null> {
  let startMs: number | null = null
  for (const file of files) {
    const own = await loadStartIn(file)
    if (own === null) return null
    startMs = Math.max(startMs ?? 0, own)
  }
  return startMs
}

/** Each k6 tells it once, in its first seconds: no more of the file is read. */
async function loadStartIn(file: string): Promise<number | null> {
  for await (const { metric, max } of findPoints(file, LOAD_START)) {
    if (metric === LOAD_START && max !== undefined) return max
  }
  return null
}

/** All requests that they tell of, judged or not. */
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

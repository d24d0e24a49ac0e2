import type { BucketCounts } from '../statistics/bucket-counts.ts'
import { BUCKETS_PER_OCTAVE, type Histogram } from '../statistics/histogram.ts'

/** How many requests took how long, for each window of time: rows of equal height on a logarithmic axis. */
export type HeatMap = {
  /** Row r holds what took more than 2^(r / rowsPerOctave) ms, up to 2^((r + 1) / rowsPerOctave) ms. */
  rowsPerOctave: number
  lowestRow: number
  rows: number
  /**
   * For each window the requests by row: first the number of rows above the lowest that are empty, then counts up to the
   * highest row that is not; nothing at all where no request took any time.
   */
  columns: number[][]
  /** Requests that took no time: they never had an answer. Null: there are none in any window. */
  zeros: number[] | null
}

/** Finer rows could not be told apart; nor is anything seen of few requests that each have a row of their own. */
const ROWS_MAX = 60
const ROWS_MAX_OF_FEW = 20
const ROWS_PER_REQUEST = 2
const ROWS_PER_OCTAVE = [16, 8, 4, 2, 1] as const

/** Of one histogram for each window, in their order; undefined where there is none. Null where all took no time. */
export function heatMap(latencies: readonly (Histogram | undefined)[]): HeatMap | null {
  const range = bucketRange(latencies)
  if (range === undefined) return null
  const measured = latencies.filter((latency) => latency !== undefined && latency.count > 0)
  const perWindow = measured.reduce((sum, latency) => sum + (latency?.count ?? 0), 0) / measured.length
  const rowsMax = Math.min(ROWS_MAX, Math.max(ROWS_MAX_OF_FEW, ROWS_PER_REQUEST * perWindow))
  const rowOf = (bucket: number, rowsPerOctave: number) =>
    Math.floor((bucket * rowsPerOctave) / BUCKETS_PER_OCTAVE)
  const rowsAt = (perOctave: number) => rowOf(range.last, perOctave) - rowOf(range.first, perOctave) + 1
  const rowsPerOctave = ROWS_PER_OCTAVE.find((perOctave) => rowsAt(perOctave) <= rowsMax) ?? 1
  const lowestRow = rowOf(range.first, rowsPerOctave)
  const rows = rowsAt(rowsPerOctave)
  const zeros = latencies.map((latency) => latency?.zero ?? 0)
  return {
    rowsPerOctave,
    lowestRow,
    rows,
    columns: latencies.map((latency) => {
      const counts = new Array<number>(rows).fill(0)
      if (latency !== undefined)
        addRows({
          counts,
          buckets: latency.positive,
          bucketsPerRow: BUCKETS_PER_OCTAVE / rowsPerOctave,
          lowestRow,
        })
      return withoutEmptyEnds(counts)
    }),
    zeros: zeros.some((count) => count > 0) ? zeros : null,
  }
}

function addRows(options: {
  counts: number[]
  buckets: BucketCounts
  bucketsPerRow: number
  lowestRow: number
}): void {
  const { counts, buckets, bucketsPerRow, lowestRow } = options
  for (let position = 0; position < buckets.counts.length; position += 1) {
    const samples = buckets.counts[position] ?? 0
    if (samples === 0) continue
    const row = Math.floor((buckets.first + position) / bucketsPerRow) - lowestRow
    counts[row] = (counts[row] ?? 0) + samples
  }
}

/** The least and the greatest bucket that holds anything. */
function bucketRange(
  latencies: readonly (Histogram | undefined)[],
): { first: number; last: number } | undefined {
  let first = Number.POSITIVE_INFINITY
  let last = Number.NEGATIVE_INFINITY
  for (const latency of latencies) {
    if (latency === undefined) continue
    const { positive } = latency
    const filled = (samples: number) => samples > 0
    const lowest = positive.counts.findIndex(filled)
    if (lowest === -1) continue
    first = Math.min(first, positive.first + lowest)
    last = Math.max(last, positive.first + positive.counts.findLastIndex(filled))
  }
  return last < first ? undefined : { first, last }
}

function withoutEmptyEnds(counts: readonly number[]): number[] {
  const lowest = counts.findIndex((count) => count > 0)
  if (lowest === -1) return []
  return [lowest, ...counts.slice(lowest, counts.findLastIndex((count) => count > 0) + 1)]
}

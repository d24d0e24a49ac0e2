import type { LatencyMs } from '../../contract/report.ts'
import type { RequestWindow } from '../series/request-windows.ts'
import { type Span, secondsCovered, type Windows, widened } from '../series/windows.ts'
import { createHistogram, type Histogram, mergeInto } from '../statistics/histogram.ts'
import { maxOf, supportedQuantile } from '../statistics/quantile-support.ts'
import { startOf } from './chart-line.ts'

/** A stretch of a run, for a table in place of its charts. Times in seconds since the first that holds anything. */
export type CourseRow = {
  from: number
  to: number
  requestsPerSecond: number
  failed: number
  dropped: number
  p50: LatencyMs
  p95: LatencyMs
  p99: LatencyMs
  max: LatencyMs
}

/** As many as can be read aloud. */
const ROWS_MAX = 12

/** The requests of a run in stretches of equal length, and their latencies all together. */
export function courseRows(
  windows: Windows<RequestWindow>,
  span: Span,
): { rows: CourseRow[]; latency: Histogram } {
  const coarse = coarseWindows(windows)
  const latency = createHistogram()
  for (const window of coarse.byIndex.values()) mergeInto(latency, window.latency)
  const rows = [...coarse.byIndex]
    .sort(([a], [b]) => a - b)
    .map(([index, window]): CourseRow => {
      const from = startOf(index, coarse.seconds, span)
      const seconds = secondsCovered(coarse.seconds, index, span)
      return {
        from,
        to: from + seconds,
        requestsPerSecond: window.requests / seconds,
        failed: window.failed,
        dropped: window.dropped,
        p50: supportedQuantile(window.latency, 0.5),
        p95: supportedQuantile(window.latency, 0.95),
        p99: supportedQuantile(window.latency, 0.99),
        max: maxOf(window.latency),
      }
    })
  return { rows, latency }
}

function coarseWindows(windows: Windows<RequestWindow>): Windows<RequestWindow> {
  const indexes = [...windows.byIndex.keys()]
  let factor = 1
  while (new Set(indexes.map((index) => Math.floor(index / factor))).size > ROWS_MAX) factor *= 2
  return widened(windows, factor)
}

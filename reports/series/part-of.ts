import type { SeriesPoint } from '../../contract/series.ts'
import type { HistogramPart } from '../statistics/histogram.ts'

/** The samples of a trend in one second. */
export function partOf({
  count,
  min = 0,
  max = 0,
  zero = 0,
  buckets = [],
  negative,
}: SeriesPoint): HistogramPart {
  return { count, min, max, zero, buckets, ...(negative === undefined ? {} : { negative }) }
}

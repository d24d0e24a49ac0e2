import type { RunRecord } from '../../contract/run-record.ts'
import { addBuckets, createHistogram, type Histogram } from '../statistics/histogram.ts'

type StoredHistogram = RunRecord['latency']

/** Packs latencies, which are never negative. Requests that were never sent are not among them. */
export function packHistogram(histogram: Histogram): StoredHistogram {
  const { positive, zero } = histogram
  const finite = histogram.count - histogram.infinite
  const buckets: number[] = []
  let last = 0
  for (const [at, count] of positive.counts.entries()) {
    if (count === 0) continue
    const index = positive.first + at
    buckets.push(index - last, count)
    last = index
  }
  const [min, max] =
    finite === 0 ? [0, 0] : [histogram.min, Number.isFinite(histogram.max) ? histogram.max : 0]
  return { count: finite, min, max, zero, buckets }
}

export function unpackHistogram({ count, min, max, zero, buckets }: StoredHistogram): Histogram {
  const histogram = createHistogram()
  const pairs: [number, number][] = []
  let index = 0
  for (let at = 0; at + 1 < buckets.length; at += 2) {
    index += buckets[at] ?? 0
    pairs.push([index, buckets[at + 1] ?? 0])
  }
  addBuckets(histogram.positive, pairs)
  return count === 0 ? histogram : Object.assign(histogram, { count, min, max, zero })
}

import type { Bucket } from '../../contract/series.ts'

/** Buckets as they are stored, by rising index, in a place that is used again and again. */
export type BucketList = { length: number; indexes: Int32Array; counts: Float64Array }

/** At scale 7: 2^64 ms, or its inverse. No latency comes near, and a damaged index must not fill the memory. */
export const BUCKET_INDEX_MAX = 64 * 128

/** With room for every bucket that there may be. */
export function createBucketList(): BucketList {
  const room = 2 * BUCKET_INDEX_MAX + 1
  return { length: 0, indexes: new Int32Array(room), counts: new Float64Array(room) }
}

/** In place of those that it held. */
export function setBuckets(list: BucketList, buckets: readonly Bucket[]): void {
  list.length = buckets.length
  for (const [position, [index, count]] of buckets.entries()) {
    list.indexes[position] = index
    list.counts[position] = count
  }
}

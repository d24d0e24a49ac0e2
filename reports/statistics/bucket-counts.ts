import type { BucketList } from './bucket-list.ts'

/** Counts by bucket index, dense between the least and the greatest index seen, with room to grow on either side. */
export type BucketCounts = { first: number; counts: Float64Array }

/** Room for growth: an octave at scale 7. Latencies of one route span a few octaves. */
const ROOM = 128

/** No buckets yet. */
export function createBucketCounts(): BucketCounts {
  return { first: 0, counts: new Float64Array(0) }
}

/** Adds buckets as they are stored, `[index, count]`, sorted by index. */
export function addBuckets(sums: BucketCounts, buckets: readonly (readonly [number, number])[]): void {
  const first = buckets[0]
  const last = buckets.at(-1)
  if (first === undefined || last === undefined) return
  makeRoom(sums, first[0], last[0])
  const { counts } = sums
  for (const bucket of buckets) {
    const position = bucket[0] - sums.first
    counts[position] = (counts[position] ?? 0) + bucket[1]
  }
}

/** As `addBuckets`. */
export function addBucketList(sums: BucketCounts, { length, indexes, counts }: BucketList): void {
  if (length === 0) return
  makeRoom(sums, indexes[0] ?? 0, indexes[length - 1] ?? 0)
  const { first, counts: all } = sums
  for (let place = 0; place < length; place += 1) {
    const position = (indexes[place] ?? 0) - first
    all[position] = (all[position] ?? 0) + (counts[place] ?? 0)
  }
}

/** Adds the counts of `other`, which stays as it is. */
export function addCounts(sums: BucketCounts, other: BucketCounts): void {
  const { counts } = other
  let start = 0
  let end = counts.length
  // Only what is filled: else the room at either end would grow with each addition.
  while (start < end && counts[start] === 0) start += 1
  while (end > start && counts[end - 1] === 0) end -= 1
  if (start === end) return
  makeRoom(sums, other.first + start, other.first + end - 1)
  const offset = other.first - sums.first
  for (let position = start; position < end; position += 1) {
    sums.counts[offset + position] = (sums.counts[offset + position] ?? 0) + (counts[position] ?? 0)
  }
}

/** Buckets come by rising index, so the first and the last bound them. */
function makeRoom(sums: BucketCounts, first: number, last: number): void {
  const { counts } = sums
  const end = sums.first + counts.length
  if (first >= sums.first && last < end) return
  const empty = counts.length === 0
  // Only where it grew: a window of time has thousands of neighbours, and what they leave empty adds up.
  const newFirst = empty || first < sums.first ? first - ROOM : sums.first
  const newEnd = empty || last >= end ? last + 1 + ROOM : end
  const grown = new Float64Array(newEnd - newFirst)
  if (!empty) grown.set(counts, sums.first - newFirst)
  sums.first = newFirst
  sums.counts = grown
}

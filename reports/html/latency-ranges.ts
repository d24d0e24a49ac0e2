import { BUCKETS_PER_OCTAVE, type Histogram } from '../statistics/histogram.ts'

/** How many requests took how long: more than `aboveMs`, up to `toMs`. */
export type LatencyRange = { aboveMs: number; toMs: number; count: number }

/** Ranges that double, from the shortest latency to the longest; requests that took no time, or for ever, are in none. */
export function latencyRanges({ positive }: Histogram): LatencyRange[] {
  const counts = new Map<number, number>()
  for (const [position, samples] of positive.counts.entries()) {
    if (samples === 0) continue
    const octave = Math.floor((positive.first + position) / BUCKETS_PER_OCTAVE)
    counts.set(octave, (counts.get(octave) ?? 0) + samples)
  }
  const octaves = [...counts.keys()]
  if (octaves.length === 0) return []
  const lowest = Math.min(...octaves)
  return Array.from({ length: Math.max(...octaves) - lowest + 1 }, (_, place) => {
    const octave = lowest + place
    return { aboveMs: 2 ** octave, toMs: 2 ** (octave + 1), count: counts.get(octave) ?? 0 }
  })
}

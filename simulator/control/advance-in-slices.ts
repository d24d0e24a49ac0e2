import type { Clock } from '../clock.ts'

/** About ten blocks of a quick chain: some milliseconds of work. */
const SLICE_MS = 5000

/**
 * Moves the clock on by `ms` in slices, and lets whatever else waits have its turn between them: a leap over hours mines
 * thousands of blocks, and other worlds of this process have requests to answer meanwhile. Where one of them puts the clock
 * back, the leap ends.
 */
export async function advanceInSlices(clock: Pick<Clock, 'advance' | 'nowMs'>, ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= SLICE_MS) {
    const sliceMs = Math.min(left, SLICE_MS)
    const untilMs = clock.nowMs() + sliceMs
    clock.advance(sliceMs)
    await new Promise((next) => setImmediate(next))
    if (clock.nowMs() < untilMs) return
  }
}

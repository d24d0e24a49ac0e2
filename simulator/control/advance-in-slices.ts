import type { Clock } from '../clock.ts'

/**
 * Moves the clock on by `ms`, and lets whatever else waits have its turn after each moment at which timers fall due: a
 * leap over hours mines thousands of blocks, and the process has requests to answer meanwhile. Where one of them puts
 * the clock back, the leap ends.
 */
export async function advanceInSlices(
  clock: Pick<Clock, 'advance' | 'nowMs' | 'nextAtMs'>,
  ms: number,
): Promise<void> {
  for (let left = ms; left > 0; ) {
    const untilDueMs = Math.max(0, (clock.nextAtMs() ?? Number.POSITIVE_INFINITY) - clock.nowMs())
    const sliceMs = Math.min(left, untilDueMs)
    const untilMs = clock.nowMs() + sliceMs
    clock.advance(sliceMs)
    left -= sliceMs
    await new Promise((next) => setImmediate(next))
    if (clock.nowMs() < untilMs) return
  }
}

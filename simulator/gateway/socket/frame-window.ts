import type { Clock } from '../../clock.ts'

export type FrameWindow = {
  /** Whether one more fits now; if so it takes a place, which is free again one window later. */
  take(): boolean
}

/**
 * At most `framesMax` in any window of `windowMs`: a ring of the times of the last `framesMax`. Where the clock has
 * been put back, frames of a time to come count no more.
 */
export function createFrameWindow(options: {
  clock: Clock
  framesMax: number
  windowMs: number
}): FrameWindow {
  const { clock, framesMax, windowMs } = options
  const takenAtMs: number[] = []
  let oldest = 0
  let latestAtMs = Number.NEGATIVE_INFINITY

  return {
    take() {
      const nowMs = clock.nowMs()
      if (nowMs < latestAtMs) {
        takenAtMs.length = 0
        oldest = 0
      }
      latestAtMs = nowMs
      if (takenAtMs.length < framesMax) {
        takenAtMs.push(nowMs)
        return true
      }
      const oldestAtMs = takenAtMs[oldest]
      if (oldestAtMs === undefined || nowMs - oldestAtMs < windowMs) return false
      takenAtMs[oldest] = nowMs
      oldest = (oldest + 1) % framesMax
      return true
    },
  }
}

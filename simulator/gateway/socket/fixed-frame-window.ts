import type { Clock } from '../../clock.ts'
import type { FrameWindow } from './frame-window.ts'

/** At most `framesMax` in each stretch of `windowMs`, the first of which begins with the first frame. */
export function createFixedFrameWindow(options: {
  clock: Clock
  framesMax: number
  windowMs: number
}): FrameWindow {
  const { clock, framesMax, windowMs } = options
  let startMs = Number.NEGATIVE_INFINITY
  let taken = 0

  return {
    take() {
      const nowMs = clock.nowMs()
      // Also where the clock has been put back.
      if (nowMs < startMs || nowMs - startMs >= windowMs) {
        startMs = nowMs
        taken = 0
      }
      if (taken === framesMax) return false
      taken++
      return true
    },
  }
}

import { LIMITS } from '../../../contract/limits.ts'

/** Fewer than a socket may send: frames that left more than a minute apart may arrive closer together. */
const FRAMES_MAX = LIMITS.wsFramesPerMinute - 40
const MINUTE_MS = 60_000

/** Of any minute, wherever it begins. */
export function createFrameBudget({ nowMs }: { nowMs: () => number }): {
  /** How long to wait before the next frame; 0: it may go. */
  waitMs(): number
  spend(): void
} {
  const sentAtMs: number[] = []
  return {
    waitMs() {
      const oldest = sentAtMs[sentAtMs.length - FRAMES_MAX]
      return oldest === undefined ? 0 : Math.max(0, oldest + MINUTE_MS - nowMs())
    },
    spend() {
      sentAtMs.push(nowMs())
      if (sentAtMs.length > FRAMES_MAX) sentAtMs.shift()
    },
  }
}

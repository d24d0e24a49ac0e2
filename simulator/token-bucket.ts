import type { Clock } from './clock.ts'
import type { Saves } from './undo-log.ts'

export type TokenBuckets = Saves<Map<string, number>> & {
  /** Takes one token from a key's bucket. 0: granted; otherwise milliseconds until the next token. */
  take(key: string): number
  size(): number
}

/**
 * Token buckets on the virtual clock, stored as the virtual schedule of GCRA (ITU-T I.371): one number per key, the time at which
 * its bucket is full again.
 */
export function createTokenBuckets(options: {
  clock: Clock
  burst: number
  perSecond: number
}): TokenBuckets {
  const { clock, burst, perSecond } = options
  const intervalMs = 1000 / perSecond
  let fullAtMs = new Map<string, number>()

  /** A full bucket equals an unknown one: delete it, so that invented keys do not accumulate. */
  const sweep = () => {
    if (fullAtMs.size < SWEEP_ABOVE) return
    for (const [key, atMs] of fullAtMs) if (atMs <= clock.nowMs()) fullAtMs.delete(key)
  }

  return {
    take(key) {
      const nowMs = clock.nowMs()
      // A bucket is at most empty, also after the clock has moved back.
      const fullAt = Math.min(Math.max(fullAtMs.get(key) ?? nowMs, nowMs), nowMs + burst * intervalMs)
      const waitMs = fullAt - nowMs - (burst - 1) * intervalMs
      if (waitMs > ROUNDING_MS) {
        fullAtMs.set(key, fullAt)
        return waitMs
      }
      if (!fullAtMs.has(key)) sweep()
      fullAtMs.set(key, fullAt + intervalMs)
      return 0
    },
    size: () => fullAtMs.size,
    save: () => fullAtMs,
    restore(saved) {
      fullAtMs = saved
    },
  }
}

/** Epoch times in a double are exact to 0.0003 ms: a token that lacks less than this is available. */
const ROUNDING_MS = 0.01
const SWEEP_ABOVE = 10_000

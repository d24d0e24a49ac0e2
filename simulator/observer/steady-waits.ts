/** So many waits are needed to tell a fixed one from chance. */
export const WAITS_MIN = 4

const AT_ONCE_MS = 20
const NOISE_MS = 5
const NOISE_SHARE = 0.02

/**
 * Whether waits show neither growth nor jitter: all at once, or all the same but for the noise of timers. With full jitter
 * over half a second that comes of chance in one of a hundred thousand cases.
 */
export function areSteady(waitsMs: readonly number[]): boolean {
  if (waitsMs.length < WAITS_MIN) return false
  const longestMs = Math.max(...waitsMs)
  const shortestMs = Math.min(...waitsMs)
  return longestMs <= AT_ONCE_MS || longestMs - shortestMs <= Math.max(NOISE_MS, NOISE_SHARE * longestMs)
}

/** For findings: `1000, 1002, 1001 ms`. */
export function waitsText(waitsMs: readonly number[]): string {
  return `${waitsMs.map((ms) => Math.round(ms)).join(', ')} ms`
}

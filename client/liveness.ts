const ASK_AFTER_MS = 15_000
const GONE_AFTER_MS = 25_000

export const LIVENESS_CHECK_MS = 5000

/**
 * What to make of silence: a socket may stay open for hours and bring nothing any more. `ask`: for a sign of life, which
 * `synchronize` is answered with. `gone`: it did not come.
 */
export function judgeSilence(silentMs: number): 'fine' | 'ask' | 'gone' {
  if (silentMs >= GONE_AFTER_MS) return 'gone'
  return silentMs >= ASK_AFTER_MS ? 'ask' : 'fine'
}

/** Reasons for which an exploration waits, and for how long. */

export type WaitFor = 'swaps' | 'expiry and retries' | 'the rate limit' | 'sockets'

export type Waits = {
  during<Result>(reason: WaitFor, work: Promise<Result>): Promise<Result>
  /** The seconds of each reason so far, longest first: `60 s for swaps, 12 s for sockets`. Empty before the first second. */
  text(): string
}

export function createWaits(nowMs: () => number): Waits {
  const reasons = new Map<WaitFor, { totalMs: number; current: number; sinceMs: number }>()
  return {
    async during(reason, work) {
      const wait = reasons.get(reason) ?? { totalMs: 0, current: 0, sinceMs: 0 }
      reasons.set(reason, wait)
      // Waits at the same time count once.
      if (wait.current++ === 0) wait.sinceMs = nowMs()
      try {
        return await work
      } finally {
        if (--wait.current === 0) wait.totalMs += nowMs() - wait.sinceMs
      }
    },
    text: () =>
      [...reasons]
        .map(([reason, { totalMs, current, sinceMs }]) => ({
          reason,
          seconds: Math.floor((totalMs + (current > 0 ? nowMs() - sinceMs : 0)) / 1000),
        }))
        .filter(({ seconds }) => seconds > 0)
        .sort((one, other) => other.seconds - one.seconds)
        .map(({ reason, seconds }) => `${seconds} s for ${reason}`)
        .join(', '),
  }
}

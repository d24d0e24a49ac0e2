import type { Timers } from './timers.ts'

const IN_FLIGHT_MAX = 8

/** How many requests are under way at once. */
export type RateGate = {
  /** Resolves when another may be sent. What keeps the session and the feed alive is `urgent`, and goes first. */
  enter(options: { urgent: boolean }): Promise<void>
  /** One has been answered; with 429, if it told to wait. */
  leave(limitedForMs?: number): void
}

/**
 * A 429 holds back whatever this client would send, not only the request that got it. Afterwards half as many go out at
 * once, and one more again for each round that is not refused: who all came back together would be refused together.
 */
export function createRateGate({ timers }: { timers: Timers }): RateGate {
  const waiting: (() => void)[] = []
  let allowed = IN_FLIGHT_MAX
  let inFlight = 0
  let heldUntilMs = 0
  let wakes = false

  const admit = () => {
    const heldMs = heldUntilMs - timers.nowMs()
    if (heldMs > 0) return wakeIn(heldMs)
    while (waiting.length > 0 && inFlight < Math.floor(allowed)) {
      inFlight++
      waiting.shift()?.()
    }
  }
  const wakeIn = (delayMs: number) => {
    if (wakes) return
    wakes = true
    timers.after(delayMs, () => {
      wakes = false
      admit()
    })
  }

  return {
    enter: ({ urgent }) =>
      new Promise((done) => {
        if (urgent) waiting.unshift(done)
        else waiting.push(done)
        admit()
      }),
    leave(limitedForMs) {
      inFlight--
      if (limitedForMs === undefined) allowed = Math.min(IN_FLIGHT_MAX, allowed + 1 / allowed)
      else {
        allowed = Math.max(1, allowed / 2)
        heldUntilMs = Math.max(heldUntilMs, timers.nowMs() + limitedForMs)
      }
      admit()
    },
  }
}

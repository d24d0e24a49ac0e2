import type { Clock } from './clock.ts'

export type Pace = {
  /** Moves the clock on by the real time that has passed since the last call. */
  sync(): void
  /** From here the clock stands still. */
  stop(): void
}

/** The longest that the clock lags while nobody calls: a timer may be set meanwhile that falls due before the next one. */
const IDLE_MS_MAX = 50

/**
 * Keeps a virtual clock in step with real time, which adds to whatever else moves it. The one place of the simulator that
 * reads real time. Whole milliseconds: the rest is carried over, so nothing is lost.
 */
export function paceClock(clock: Clock): Pace {
  let syncedAtMs = performance.now()

  const sync = () => {
    const elapsedMs = Math.floor(performance.now() - syncedAtMs)
    syncedAtMs += elapsedMs
    clock.advance(elapsedMs)
  }
  const untilDueMs = () => Math.min(IDLE_MS_MAX, (clock.nextAtMs() ?? Infinity) - clock.nowMs())
  const tick = () => {
    sync()
    timer = setTimeout(tick, untilDueMs())
  }
  let timer = setTimeout(tick, untilDueMs())

  return {
    sync,
    stop: () => clearTimeout(timer),
  }
}

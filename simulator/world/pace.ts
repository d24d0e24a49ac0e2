import type { Clock } from '../clock.ts'

export type Pace = {
  /** Advances the clock by the elapsed real time, but not to the next due timer: that waits for its turn. */
  sync(): void
  stop(): void
}

/** Maximum lag of an idle clock: a timer set in the meantime may fall due before the next one. */
const IDLE_MS_MAX = 50
/** Maximum real time to catch up; any excess is dropped: a growing backlog would never be worked off. */
const BEHIND_MS_MAX = 1000

/**
 * Keeps a virtual clock in step with real time, in addition to explicit advances; the only part of the simulator that reads real
 * time. Advances by whole milliseconds and carries the rest over. Timers due at the same millisecond, such as a block, get one
 * turn of the event loop, so that requests are served in between. If that takes longer than the interval, the clock runs slower
 * than real time.
 */
export function paceClock(clock: Clock): Pace {
  /** Real time up to which the clock has been advanced. */
  let syncedAtMs = performance.now()
  let isStopped = false

  const behindMs = () => Math.floor(performance.now() - syncedAtMs)
  const untilDueMs = () =>
    Math.max(0, Math.ceil((clock.nextAtMs() ?? Number.POSITIVE_INFINITY) - clock.nowMs()))
  const move = (ms: number) => {
    syncedAtMs += ms
    clock.advance(ms)
  }
  const sync = () => {
    const ms = Math.min(behindMs(), untilDueMs() - 1)
    if (ms > 0) move(ms)
  }
  const tick = () => {
    syncedAtMs = Math.max(syncedAtMs, performance.now() - BEHIND_MS_MAX)
    const dueMs = untilDueMs()
    if (dueMs <= behindMs()) move(dueMs)
    sync()
    schedule()
  }
  let cancel = () => {}
  const schedule = () => {
    if (isStopped) return
    if (untilDueMs() <= behindMs()) {
      const immediate = setImmediate(tick)
      cancel = () => clearImmediate(immediate)
    } else {
      const timer = setTimeout(tick, Math.min(IDLE_MS_MAX, untilDueMs()))
      cancel = () => clearTimeout(timer)
    }
  }
  schedule()

  return {
    sync,
    stop() {
      isStopped = true
      cancel()
    },
  }
}

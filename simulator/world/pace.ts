import type { Clock } from '../clock.ts'

export type Pace = {
  /**
   * Moves the clock on by the real time that has passed, but not to where a timer falls due: that waits for its turn.
   */
  sync(): void
  /** From here the clock stands still. */
  stop(): void
}

/** The longest that the clock lags while nobody calls: a timer may be set meanwhile that falls due before the next one. */
const IDLE_MS_MAX = 50
/** How much real time is made up for. What is beyond it is lost: a backlog that grows would never be worked off. */
const BEHIND_MS_MAX = 1000

/**
 * Keeps a virtual clock in step with real time, which adds to whatever else moves it. The one place of the simulator that
 * reads real time. Whole milliseconds: the rest is carried over.
 *
 * What falls due at one millisecond of the clock, such as a block, has a turn of the event loop of its own, so that
 * requests are answered in between. Where that takes longer than the clock says, the clock goes slower than real time.
 */
export function paceClock(clock: Clock): Pace {
  /** The real time that the clock stands for. */
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

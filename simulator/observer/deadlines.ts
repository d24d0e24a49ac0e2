import type { Clock, Timer } from '../clock.ts'

export type Deadline = { cancel(): void }

export type Deadlines = {
  /** `owner` contains the deadline while it is open. */
  after(owner: Set<Deadline>, delayMs: number, fn: () => void): Deadline
  /** The clock is about to be moved: deadlines from now on wait for `release`. */
  hold(): void
  release(): void
  /** True if the clock has leapt since then, or is leaping. */
  leaptSince(sinceMs: number): boolean
  clear(): void
}

type Open = Deadline & { dueMs: number; timer: Timer | null; run(): void }

/**
 * Deadlines for client actions, by the virtual clock. A leap of more than `leapMsMax` leaves no time to act, so it
 * extends every deadline by its length.
 */
export function createDeadlines({ clock, leapMsMax }: { clock: Clock; leapMsMax: number }): Deadlines {
  const open = new Set<Open>()
  let heldAtMs: number | null = null
  let leaptAtMs = Number.NEGATIVE_INFINITY

  const arm = (deadline: Open) => {
    deadline.timer = clock.after(deadline.dueMs - clock.nowMs(), () => {
      deadline.timer = null
      if (heldAtMs === null) deadline.run()
    })
  }

  return {
    after(owner, delayMs, fn) {
      const deadline: Open = {
        dueMs: clock.nowMs() + delayMs,
        timer: null,
        cancel() {
          deadline.timer?.cancel()
          open.delete(deadline)
          owner.delete(deadline)
        },
        run() {
          deadline.cancel()
          fn()
        },
      }
      open.add(deadline)
      owner.add(deadline)
      arm(deadline)
      return deadline
    },
    hold() {
      heldAtMs ??= clock.nowMs()
    },
    release() {
      if (heldAtMs === null) return
      const leaptMs = clock.nowMs() - heldAtMs
      heldAtMs = null
      if (leaptMs > leapMsMax) {
        leaptAtMs = clock.nowMs()
        for (const deadline of open) {
          deadline.timer?.cancel()
          deadline.dueMs += leaptMs
          arm(deadline)
        }
      } else for (const deadline of [...open]) if (deadline.timer === null) deadline.run()
    },
    leaptSince: (sinceMs) =>
      leaptAtMs >= sinceMs || (heldAtMs !== null && clock.nowMs() - Math.max(heldAtMs, sinceMs) > leapMsMax),
    clear() {
      for (const deadline of [...open]) deadline.cancel()
      leaptAtMs = Number.NEGATIVE_INFINITY
    },
  }
}

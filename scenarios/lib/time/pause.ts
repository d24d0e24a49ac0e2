import { clearTimeout, setTimeout } from 'k6/timers'
import { config } from '../config.ts'
import { CannotJudge } from '../verdict/judge.ts'

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    after(ms, resolve)
  })
}

/** Like `setTimeout`, but never early. */
export const after = createPunctual({ set: setTimeout, clear: clearTimeout, nowMs: Date.now })

/** Reserved for cleanup at the end of the run's time. */
const PUT_AWAY_MS = 5000
const startedMs = Date.now()

/** Rejects with CannotJudge when the run's time is over; abandoned work ends with the VU. */
export async function withinTime(work: () => Promise<void>): Promise<void> {
  const leftMs = startedMs + config.durationSecondsMax * 1000 - PUT_AWAY_MS - Date.now()
  const over = () =>
    new CannotJudge(`the run's time limit of ${config.durationSecondsMax} s was reached (--max-duration)`)
  if (leftMs <= 0) throw over()
  let timer = { cancel() {} }
  const tooLate = new Promise<never>((_, reject) => {
    timer = after(leftMs, () => reject(over()))
  })
  try {
    await Promise.race([work(), tooLate])
  } finally {
    timer.cancel()
  }
}

/**
 * The result of work that takes at most `ms`; undefined if it takes longer. A race with `pause` would leave its timer, and k6 ends an
 * iteration only after its last timer.
 */
export async function within<Result>(ms: number, work: Promise<Result>): Promise<Result | undefined> {
  let timer = { cancel() {} }
  const late = new Promise<undefined>((resolve) => {
    timer = after(ms, () => resolve(undefined))
  })
  try {
    return await Promise.race([work, late])
  } finally {
    timer.cancel()
  }
}

type Timers = {
  set(fn: () => void, ms: number): number
  clear(id: number): void
  nowMs(): number
}

/**
 * Timers that never fire early. k6's may: a timer cleared just as it is due makes the next one fire, whenever
 * that one is due (k6 2.2.0, tc55/timers: `runFirstTask` runs whichever task is first by then). Under load,
 * that ends a run's time limit after a few seconds.
 */
export function createPunctual({ set, clear, nowMs }: Timers) {
  return function after(ms: number, fn: () => void): { cancel(): void } {
    const dueMs = nowMs() + ms
    let id = 0
    const arm = (leftMs: number) => {
      id = set(() => {
        const left = dueMs - nowMs()
        if (left <= 0) fn()
        else arm(left)
      }, leftMs)
    }
    arm(ms)
    return { cancel: () => clear(id) }
  }
}

import { clearTimeout, setTimeout } from 'k6/timers'
import { config } from '../config.ts'
import { CannotJudge } from '../verdict/judge.ts'
import { createPunctual } from './punctual.ts'

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

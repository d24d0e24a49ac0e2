import type { ServiceTime } from './exchange/requests/service-queue.ts'

/** Real time in milliseconds, from some beginning: to measure how long something took, never for the world to act by. */
export function realTimeMs(): number {
  return performance.now()
}

/** For what a load meets in real time, whatever the world's clock says. It keeps no process alive. */
export const realTimer: ServiceTime = {
  nowMs: realTimeMs,
  after(delayMs, fn) {
    // A timer takes whole milliseconds, and may come a fraction early.
    const timer = setTimeout(fn, Math.ceil(delayMs)).unref()
    return { cancel: () => clearTimeout(timer) }
  },
}

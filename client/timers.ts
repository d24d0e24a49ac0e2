/** Time as the client sees it, passed in: the machine's, or that of a test. */
export type Timers = {
  nowMs(): number
  after(delayMs: number, fn: () => void): { cancel(): void }
}

export const REAL_TIMERS: Timers = {
  nowMs: Date.now,
  after(delayMs, fn) {
    const timer = setTimeout(fn, delayMs)
    return { cancel: () => clearTimeout(timer) }
  },
}

/** Resolves after so much of the timers' time. */
export function pause(timers: Timers, delayMs: number): Promise<void> {
  return new Promise((done) => timers.after(delayMs, done))
}

/** Calls `fn` again and again, until what it returns is called. */
export function every(timers: Timers, intervalMs: number, fn: () => void): () => void {
  let timer: ReturnType<Timers['after']>
  const arm = () => {
    timer = timers.after(intervalMs, () => {
      arm()
      fn()
    })
  }
  arm()
  return () => timer.cancel()
}

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

/**
 * Asked for while it is running, `work` runs once more afterwards, however often that was: what it then sees is newer than
 * all that asked for it. Resolves once there is nothing left to do.
 */
export function oneAtATime(work: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined
  let again = false
  const run = async () => {
    do {
      again = false
      await work()
    } while (again)
  }
  return () => {
    again = true
    running ??= run().finally(() => {
      running = undefined
    })
    return running
  }
}

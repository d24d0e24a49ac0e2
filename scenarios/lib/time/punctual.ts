export type Timers = {
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

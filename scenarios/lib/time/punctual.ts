export type Timers = {
  set(fn: () => void, ms: number): number
  clear(id: number): void
  nowMs(): number
}

/**
 * Timers that never run before their time. k6’s may: one that is cleared just as it falls due takes the next in line with
 * it, whenever that one is due (k6 2.2.0, tc55/timers: `runFirstTask` runs whatever is first by then). Under load that ends
 * a run’s time after some seconds.
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

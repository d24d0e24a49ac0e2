/** Time in which at least one piece of work ran; what several of them share counts once. */
export type BusyTime = {
  totalMs(): number
  during<Result>(work: () => Promise<Result>): Promise<Result>
}

export function createBusyTime({ nowMs }: { nowMs: () => number }): BusyTime {
  let endedMs = 0
  let running = 0
  let busySinceMs = 0
  const totalMs = () => endedMs + (running === 0 ? 0 : nowMs() - busySinceMs)
  return {
    totalMs,
    async during(work) {
      if (running === 0) busySinceMs = nowMs()
      running++
      try {
        return await work()
      } finally {
        if (running === 1) endedMs = totalMs()
        running--
      }
    },
  }
}

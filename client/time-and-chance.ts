/** Time and chance, as a client of the kit gets them: those of k6 (k6-tools.ts), or a test's own. */
export type Tools = {
  nowMs(): number
  /** [0, 1). */
  random(): number
  pause(ms: number): Promise<void>
  /** Runs `fn` once; what it returns takes that back. */
  after(ms: number, fn: () => void): () => void
}

/** A small seeded generator (mulberry32): [0, 1). k6 has none that takes a seed. */
export function createRandom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** Waits that all end at once when told to: nothing is left to keep a client that has gone. */
export type StoppableWaits = {
  wait(ms: number): Promise<void>
  /** From here on nothing is waited for. */
  stop(): void
  isStopped(): boolean
}

/** No wait under way; once stopped, every further one ends at once. */
export function createStoppableWaits({ after }: Pick<Tools, 'after'>): StoppableWaits {
  const waiting = new Set<() => void>()
  let isStopped = false
  return {
    wait: (ms) =>
      new Promise((resolve) => {
        const finish = () => {
          cancel()
          waiting.delete(finish)
          resolve()
        }
        const cancel = after(isStopped ? 0 : ms, finish)
        waiting.add(finish)
      }),
    stop() {
      isStopped = true
      for (const finish of [...waiting]) finish()
    },
    isStopped: () => isStopped,
  }
}

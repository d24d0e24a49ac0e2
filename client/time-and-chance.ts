/** Time and randomness of a client: those of k6 (k6-tools.ts), of Node, or of a test. */
export type Tools = {
  nowMs(): number
  /** [0, 1). */
  random(): number
  pause(ms: number): Promise<void>
  /** Runs `fn` once; the returned function cancels it. */
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

/** Waits that can all end at once, so that nothing keeps a stopped client alive. */
export type StoppableWaits = {
  wait(ms: number): Promise<void>
  stop(): void
  isStopped(): boolean
}

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

/** The tools of a client that stops: once the waits are stopped, each pause throws `reason`, also one that has begun. */
export function withStoppablePause(tools: Tools, waits: StoppableWaits, reason: Error): Tools {
  return {
    ...tools,
    async pause(ms) {
      await waits.wait(ms)
      if (waits.isStopped()) throw reason
    },
  }
}

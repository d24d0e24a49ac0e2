import type { Tools } from './tools.ts'

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

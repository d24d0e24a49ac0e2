import { BoundedMap } from './bounded-map.ts'
import type { ObservedRequest } from './observed.ts'

/** A request that arrives so soon after an answer may have been on its way. */
const ON_THE_WAY_MS = 250
const KEYS_MAX = 200
const ENTRIES_MAX = 20

type Run = { count: number; answeredMs: number; entries: number[] }

/**
 * Counts refusals that come one after another, each for a request that was sent after the answer before: those under way
 * together count once. Where `quietMs` passes without one it begins anew.
 */
export function createRepeats({ quietMs }: { quietMs: number }) {
  const runs = new BoundedMap<string, Run>(KEYS_MAX)
  return {
    /** How often it has come again, and the entries: the first ones, and the newest. */
    count(
      key: string,
      { arrivedMs, answeredMs, entry }: ObservedRequest,
    ): { again: number; entries: number[] } {
      const run = runs.get(key)
      if (!run || arrivedMs - run.answeredMs > quietMs) {
        runs.set(key, { count: 1, answeredMs, entries: [entry] })
        return { again: 0, entries: [entry] }
      }
      if (arrivedMs >= run.answeredMs + ON_THE_WAY_MS) {
        run.count++
        run.answeredMs = answeredMs
        if (run.entries.length === ENTRIES_MAX) run.entries.pop()
        run.entries.push(entry)
      }
      return { again: run.count - 1, entries: run.entries }
    },
    forget: (key: string) => void runs.delete(key),
  }
}

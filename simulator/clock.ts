/**
 * The one clock of a world: virtual, driven from outside, never by the wall clock.
 */
export type Timer = { readonly atMs: number; cancel(): void }

export type Clock = {
  /** Milliseconds since the Unix epoch. */
  nowMs(): number
  /** Runs `fn` once the clock reaches now + `delayMs` (at the next advance, if that is not above 0). */
  after(delayMs: number, fn: () => void): Timer
  /** Moves the clock on, running what falls due in order of time, then of creation. */
  advance(ms: number): void
  /** When the next timer falls due, or undefined where there is none. */
  nextAtMs(): number | undefined
}

type Entry = { atMs: number; order: number; fn: () => void }

export function createClock(options: { startMs: number }): Clock {
  let now = options.startMs
  let order = 0
  const entries = new Set<Entry>()

  const next = (): Entry | undefined => {
    let first: Entry | undefined
    for (const entry of entries) {
      if (!first || entry.atMs < first.atMs || (entry.atMs === first.atMs && entry.order < first.order)) first = entry
    }
    return first
  }

  return {
    nowMs: () => now,
    after(delayMs, fn) {
      const entry = { atMs: now + Math.max(0, delayMs), order: order++, fn }
      entries.add(entry)
      return { atMs: entry.atMs, cancel: () => entries.delete(entry) }
    },
    advance(ms) {
      if (!(ms >= 0)) throw new RangeError(`a clock only moves forward: advance(${ms})`)
      const until = now + ms
      for (let due = next(); due && due.atMs <= until; due = next()) {
        entries.delete(due)
        now = Math.max(now, due.atMs)
        due.fn()
      }
      now = until
    },
    nextAtMs: () => next()?.atMs,
  }
}

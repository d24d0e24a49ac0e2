/**
 * The one clock of a world: virtual, driven from outside, never by the wall clock.
 */
export type Timer = {
  /** When it falls due; moves with the time that is restored. */
  readonly atMs: number
  cancel(): void
}

export type Clock = {
  /** Milliseconds since the Unix epoch. */
  nowMs(): number
  /** Runs `fn` once the clock reaches now + `delayMs` (at the next advance, if that is not above 0). */
  after(delayMs: number, fn: () => void): Timer
  /** Moves the clock on, running what falls due in order of time, then of creation. Ends where a timer puts the clock back. */
  advance(ms: number): void
  /** Sets the time, back or forth, and runs nothing: each timer keeps the delay that it had left. */
  restoreTo(nowMs: number): void
  /** When the next timer falls due, or undefined where there is none. */
  nextAtMs(): number | undefined
}

type Entry = { atMs: number; order: number; fn: () => void; canceled: boolean }

/** A clock that stands at `startMs` (since the epoch) until it is advanced. */
export function createClock(options: { startMs: number }): Clock {
  let now = options.startMs
  let order = 0
  let canceledCount = 0
  let heap: Entry[] = []
  let restores = 0

  /** The entry due first, without the canceled ones before it. */
  const first = (): Entry | undefined => {
    while (heap[0]?.canceled) {
      takeFirst(heap)
      canceledCount--
    }
    return heap[0]
  }
  const cancel = (entry: Entry): void => {
    if (entry.canceled) return
    entry.canceled = true
    canceledCount++
    // Timers that are set and canceled again and again, far ahead, would pile up.
    if (canceledCount * 2 <= heap.length) return
    heap = heap.filter((kept) => !kept.canceled).sort((a, b) => (isBefore(a, b) ? -1 : 1))
    canceledCount = 0
  }

  return {
    nowMs: () => now,
    after(delayMs, fn) {
      const entry = { atMs: now + Math.max(0, delayMs), order: order++, fn, canceled: false }
      insert(heap, entry)
      return {
        get atMs() {
          return entry.atMs
        },
        cancel: () => cancel(entry),
      }
    },
    advance(ms) {
      if (!(ms >= 0)) throw new RangeError(`a clock only moves forward: advance(${ms})`)
      const until = now + ms
      const before = restores
      for (let due = first(); due && due.atMs <= until; due = first()) {
        takeFirst(heap)
        due.canceled = true
        now = Math.max(now, due.atMs)
        due.fn()
        if (restores !== before) return
      }
      // A timer may itself have moved the clock further.
      now = Math.max(now, until)
    },
    restoreTo(nowMs) {
      // All by as much, so the heap's order stands.
      for (const entry of heap) entry.atMs += nowMs - now
      now = nowMs
      restores++
    },
    nextAtMs: () => first()?.atMs,
  }
}

function isBefore(a: Entry, b: Entry): boolean {
  return a.atMs < b.atMs || (a.atMs === b.atMs && a.order < b.order)
}

/** Into a binary heap: each entry comes before its two children, at 2i + 1 and 2i + 2. */
function insert(heap: Entry[], entry: Entry): void {
  let place = heap.length
  heap.push(entry)
  while (place > 0) {
    const parentPlace = (place - 1) >> 1
    const parent = heap[parentPlace]
    if (!parent || isBefore(parent, entry)) break
    heap[place] = parent
    place = parentPlace
  }
  heap[place] = entry
}

/** Out of a binary heap: its last entry sinks from the top to its place. */
function takeFirst(heap: Entry[]): void {
  const entry = heap.pop()
  if (!entry || heap.length === 0) return
  let place = 0
  for (;;) {
    const [left, right] = [heap[2 * place + 1], heap[2 * place + 2]]
    if (!left) break
    const rightIsFirst = right !== undefined && isBefore(right, left)
    const child = rightIsFirst ? right : left
    if (isBefore(entry, child)) break
    heap[place] = child
    place = 2 * place + (rightIsFirst ? 2 : 1)
  }
  heap[place] = entry
}

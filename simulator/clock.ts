/** A world's virtual clock, advanced explicitly, never by wall time. */
export type Timer = {
  readonly atMs: number
  cancel(): void
}

export type Clock = {
  nowMs(): number
  /** Runs `fn` once the clock reaches now + `delayMs`, or at the next advance if `delayMs` is 0 or less. */
  after(delayMs: number, fn: () => void): Timer
  /** Advances the clock and runs due timers in order of time, then of creation. Stops if a timer sets the clock back. */
  advance(ms: number): void
  /** Sets the time, backward or forward, without running timers: each keeps its remaining delay. */
  restoreTo(nowMs: number): void
  /** undefined: no timer is set. */
  nextAtMs(): number | undefined
}

type Entry = { atMs: number; order: number; fn: () => void; canceled: boolean }

export function createClock(options: { startMs: number }): Clock {
  let now = options.startMs
  let order = 0
  let canceledCount = 0
  let heap: Entry[] = []
  let restores = 0

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
    // Otherwise timers that are repeatedly set far ahead and canceled would accumulate.
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
      // A timer may have advanced the clock further.
      now = Math.max(now, until)
    },
    restoreTo(nowMs) {
      // All shift equally, so the heap order is unchanged.
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

/** Binary heap: each entry precedes its two children, at 2i + 1 and 2i + 2. */
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

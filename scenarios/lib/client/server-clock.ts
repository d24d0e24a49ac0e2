/** How far the server’s clock is ahead of that of this machine, in ms, at the least and at the most. */
export type Ahead = { leastMs: number; mostMs: number }

export type ServerClock = {
  /** Of an answer: when it was asked for, when it was there, and what its headers Date and Age say. */
  told(answer: { sentMs: number; heardMs: number; date: string | undefined; age: string | undefined }): void
  /** Undefined: no answer has told it lately. */
  ahead(nowMs: number): Ahead | undefined
}

type Epoch = Ahead & { startMs: number }

/** Clocks drift, and may be set: what was told before the epoch before is forgotten. */
const EPOCH_MS = 30_000

/** Of Date.now(), which tells whole milliseconds. */
const TICK_MS = 1

/**
 * Learns the server’s clock from the header Date of its answers (RFC 9110, section 6.6.1), which tells whole seconds: it
 * was written between the request and the answer, so each answer leaves a span of a second and the time it took, and where
 * the spans of several overlap the clock must be. An answer out of a cache has an old date.
 */
export function createServerClock(): ServerClock {
  let before: Epoch | undefined
  let current: Epoch | undefined

  const roll = (nowMs: number) => {
    if (current === undefined || nowMs - current.startMs < EPOCH_MS) return
    before = nowMs - current.startMs < 2 * EPOCH_MS ? current : undefined
    current = undefined
  }
  return {
    told({ sentMs, heardMs, date, age }) {
      const dateMs = Date.parse(date ?? '')
      if (Number.isNaN(dateMs) || age !== undefined) return
      roll(heardMs)
      const span = { leastMs: dateMs - heardMs - TICK_MS, mostMs: dateMs + 1000 - sentMs }
      const both = overlap(current, span)
      // Where they do not overlap, one of the clocks was set: what was told before is no use.
      if (both === undefined) before = undefined
      current = { startMs: current?.startMs ?? heardMs, ...(both ?? span) }
      if (overlap(before, current) === undefined) before = undefined
    },
    ahead(nowMs) {
      roll(nowMs)
      const known = current ?? before
      if (known === undefined) return undefined
      return overlap(before, known)
    },
  }
}

/** Undefined where the two do not overlap; the second where there is no first. */
function overlap(first: Ahead | undefined, second: Ahead): Ahead | undefined {
  if (first === undefined) return { leastMs: second.leastMs, mostMs: second.mostMs }
  const leastMs = Math.max(first.leastMs, second.leastMs)
  const mostMs = Math.min(first.mostMs, second.mostMs)
  return leastMs <= mostMs ? { leastMs, mostMs } : undefined
}
